// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import "github.com/hashicorp/terraform-plugin-go/tftypes"

// arguments are the attributes of a configuration, all of them known.
type arguments map[string]tftypes.Value

// text returns a string argument, "" when it is not set.
func (a arguments) text(name string) string {
	var text string
	if value, ok := a[name]; ok && !value.IsNull() {
		_ = value.As(&text) // The schema made it a string.
	}
	return text
}

// flag returns a bool argument, false when it is not set.
func (a arguments) flag(name string) bool {
	flag := a.optionalFlag(name)
	return flag != nil && *flag
}

// optionalFlag returns a bool argument, nil when it is not set.
func (a arguments) optionalFlag(name string) *bool {
	var flag *bool
	_ = a[name].As(&flag) // The schema made it a bool.
	return flag
}

// texts returns an argument that is a map of strings, nil when it is not set.
func (a arguments) texts(name string) map[string]string {
	var values map[string]tftypes.Value
	_ = a[name].As(&values) // The schema made it a map.
	texts := make(map[string]string, len(values))
	for key := range values {
		texts[key] = arguments(values).text(key)
	}
	return texts
}
