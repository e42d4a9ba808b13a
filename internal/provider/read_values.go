// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// arguments are attributes by their names, all of them known. One that is not
// there counts as not set. The kinds are those of the schema, which is why
// reading them cannot fail.
type arguments map[string]tftypes.Value

// text returns a string, "" when it is not set.
func (a arguments) text(name string) string {
	var text *string
	if _ = a[name].As(&text); text == nil {
		return ""
	}
	return *text
}

// flag returns a bool, false when it is not set.
func (a arguments) flag(name string) bool {
	flag := a.optionalFlag(name)
	return flag != nil && *flag
}

// optionalFlag returns a bool, nil when it is not set.
func (a arguments) optionalFlag(name string) *bool {
	var flag *bool
	_ = a[name].As(&flag)
	return flag
}

// textMap returns a map of strings, empty when it is not set.
func (a arguments) textMap(name string) map[string]string {
	var values map[string]tftypes.Value
	_ = a[name].As(&values)
	texts := make(map[string]string, len(values))
	for key := range values {
		texts[key] = arguments(values).text(key)
	}
	return texts
}

// textList returns a set of strings, sorted, empty when it is not set.
func (a arguments) textList(name string) []string {
	var values []tftypes.Value
	_ = a[name].As(&values)
	var texts []string
	for _, value := range values {
		texts = append(texts, arguments{"": value}.text(""))
	}
	slices.Sort(texts)
	return texts
}
