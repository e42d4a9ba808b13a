// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// values are the values of attributes by their names, all of them known. An
// attribute that is absent counts as null. Reading them cannot fail, because
// their types are those of the schema.
type values map[string]tftypes.Value

// text returns a string, "" for null.
func (v values) text(name string) string { return textOf(v[name]) }

// flag returns a bool, nil for null.
func (v values) flag(name string) *bool {
	var flag *bool
	_ = v[name].As(&flag)
	return flag
}

// isTrue reports whether a bool is set and true.
func (v values) isTrue(name string) bool {
	flag := v.flag(name)
	return flag != nil && *flag
}

// textMap returns a map of strings, empty for null.
func (v values) textMap(name string) map[string]string {
	texts := map[string]string{}
	for key, value := range v.object(name) {
		texts[key] = textOf(value)
	}
	return texts
}

// texts returns the strings of a set or list, sorted, none for null.
func (v values) texts(name string) []string {
	var texts []string
	for _, value := range v.list(name) {
		texts = append(texts, textOf(value))
	}
	slices.Sort(texts)
	return texts
}

// list returns the elements of a list or set, none for null.
func (v values) list(name string) []tftypes.Value {
	var elements []tftypes.Value
	_ = v[name].As(&elements)
	return elements
}

// object returns the attributes of an object or the elements of a map, none
// for null.
func (v values) object(name string) values { return objectOf(v[name]) }

func objectOf(value tftypes.Value) values {
	var fields map[string]tftypes.Value
	_ = value.As(&fields)
	return fields
}

func textOf(value tftypes.Value) string {
	var text *string
	if _ = value.As(&text); text == nil {
		return ""
	}
	return *text
}

// numberOf returns a number, nil for null.
func numberOf(value tftypes.Value) *big.Float {
	var number *big.Float
	_ = value.As(&number)
	return number
}

// textValue returns a string, null for "".
func textValue(text string) tftypes.Value {
	if text == "" {
		return tftypes.NewValue(tftypes.String, nil)
	}
	return tftypes.NewValue(tftypes.String, text)
}

func numberValue(n int) tftypes.Value { return tftypes.NewValue(tftypes.Number, n) }
