// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// What encode writes is read back by terraform-plugin-go.
func TestEncode(t *testing.T) {
	t.Parallel()
	text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	decimal := func(s string) tftypes.Value {
		n, _, err := big.ParseFloat(s, 10, 512, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		return tftypes.NewValue(tftypes.Number, n)
	}
	texts := tftypes.List{ElementType: tftypes.String}
	numbers := tftypes.Map{ElementType: tftypes.Number}
	inner := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"flag": tftypes.Bool, "texts": texts}}
	outer := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"inner": tftypes.List{ElementType: inner}, "numbers": numbers}}
	many := make([]tftypes.Value, 70_000)
	for i := range many {
		many[i] = text("x")
	}
	for name, value := range map[string]tftypes.Value{
		"null":             tftypes.NewValue(tftypes.String, nil),
		"null object":      tftypes.NewValue(outer, nil),
		"unknown":          tftypes.NewValue(tftypes.Number, tftypes.UnknownValue),
		"unknown list":     tftypes.NewValue(texts, tftypes.UnknownValue),
		"empty string":     text(""),
		"string":           text("Größe\x00🚲"),
		"long string":      text(strings.Repeat("x", 70_000)),
		"true":             tftypes.NewValue(tftypes.Bool, true),
		"false":            tftypes.NewValue(tftypes.Bool, false),
		"zero":             decimal("0"),
		"below zero":       decimal("-300"),
		"largest int64":    decimal("9223372036854775807"),
		"beyond int64":     decimal("9223372036854775808"),
		"beyond 64 bits":   decimal("-123456789012345678901234567890"),
		"binary fraction":  decimal("-0.25"),
		"decimal fraction": decimal("0.1"),
		"beyond float64":   decimal("1e400"),
		"empty list":       tftypes.NewValue(texts, []tftypes.Value{}),
		"list":             tftypes.NewValue(texts, []tftypes.Value{text("a"), tftypes.NewValue(tftypes.String, nil), text("")}),
		"long list":        tftypes.NewValue(texts, many),
		"set":              tftypes.NewValue(tftypes.Set{ElementType: tftypes.String}, []tftypes.Value{text("a"), text("b")}),
		"empty map":        tftypes.NewValue(numbers, map[string]tftypes.Value{}),
		"objects in a list": tftypes.NewValue(outer, map[string]tftypes.Value{
			"inner": tftypes.NewValue(tftypes.List{ElementType: inner}, []tftypes.Value{
				tftypes.NewValue(inner, map[string]tftypes.Value{
					"flag": tftypes.NewValue(tftypes.Bool, nil), "texts": tftypes.NewValue(texts, []tftypes.Value{text("a")}),
				}),
				tftypes.NewValue(inner, map[string]tftypes.Value{
					"flag": tftypes.NewValue(tftypes.Bool, true), "texts": tftypes.NewValue(texts, nil),
				}),
			}),
			"numbers": tftypes.NewValue(numbers, map[string]tftypes.Value{"": decimal("1"), "b": decimal("2.5")}),
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			encoded, err := encode(value)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tfprotov6.DynamicValue{MsgPack: encoded}.Unmarshal(value.Type())
			if err != nil {
				t.Fatal(err)
			}
			if !got.Equal(value) {
				t.Errorf("got %s, want %s", got, value)
			}
		})
	}
}

// Numbers keep every digit, also where Terraform reads them as a float64.
func TestEncodeDecimals(t *testing.T) {
	t.Parallel()
	for _, decimal := range []string{
		"0", "-1", "12.25", "0.1", "9007199254740993", "36893488147419103232", "-36893488147419103231", "0.000000000931322574615478515625",
		"1" + strings.Repeat("0", 399), "123456789012345678901234567890.123456789",
	} {
		number, _, err := big.ParseFloat(decimal, 10, 512, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := encode(tftypes.NewValue(tftypes.Number, number))
		if err != nil {
			t.Fatal(err)
		}
		value, err := tfprotov6.DynamicValue{MsgPack: encoded}.Unmarshal(tftypes.Number)
		if err != nil {
			t.Fatal(err)
		}
		var got *big.Float
		if err := value.As(&got); err != nil {
			t.Fatal(err)
		}
		if text := got.Text('f', -1); text != decimal {
			t.Errorf("got %s, want %s", text, decimal)
		}
	}
}
