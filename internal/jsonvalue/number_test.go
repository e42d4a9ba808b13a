// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestNumbersKeepTheirPrecision(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"zero": "0", "negative": "-1", "above 2^53": "9007199254740993", "above 64 bits": "12345678901234567890123",
		"largest int64": "9223372036854775807", "smallest int64": "-9223372036854775808", "above int64": "9223372036854775808",
		"negative with fraction": "-98765432109876543210.000000001", "fraction": "0.1", "small": "1e-7", "decimal": "120.5", "negative decimal": "-120.5",
		"largest float64": "1.7976931348623157e+308", "smallest float64": "4.9406564584124654e-324", "zeros after the point": "0.00012",
		"exponent in capitals": "12E3", "exponent with zeros": "1e0000000000000000000005", "exponent that moves the point": "1234567.5e-3",
		"zeros at both ends": "100.00100", "exponent of nothing": "7e0", "precision of Terraform": "0." + strings.Repeat("123456789", 17),
		"largest exponent": "1e400", "smallest exponent": "-1.5e-400", "largest in full": strings.Repeat("7", 400),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value, _, err := decoderOf(t, thing).Decode([]byte(`{"zIndex":` + text + `}`))
			if err != nil {
				t.Fatal(err)
			}
			var attributes map[string]tftypes.Value
			var number big.Float
			if err := errors.Join(value.As(&attributes), attributes["z_index"].As(&number)); err != nil {
				t.Fatal(err)
			}
			// As Terraform itself reads a number.
			want, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
			if err != nil {
				t.Fatal(err)
			}
			if number.Cmp(want) != 0 || number.Prec() != 512 {
				t.Errorf("got %s with %d bits", number.Text('g', 50), number.Prec())
			}
			dynamic, err := tfprotov6.NewDynamicValue(thing, value)
			if err != nil {
				t.Fatal(err)
			}
			if len(dynamic.MsgPack) > 1000 {
				t.Errorf("Terraform receives %d bytes", len(dynamic.MsgPack))
			}
		})
	}
}

func TestNumbersAreLimited(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"1e401", "-1e401", "1e-401", strings.Repeat("7", 401), "0." + strings.Repeat("0", 400) + "1", "1e999999999", "1e-999999999",
		"1e99999999999999999999", "1E-99999999999999999999", strings.Repeat("7", 10_000_000),
	} {
		_, _, err := decoderOf(t, thing).Decode([]byte(`{"notes":[{},{"x":` + text + `}]}`))
		if err == nil || err.Error() != "notes[1].x: the number has more than 400 digits, or a larger exponent" {
			t.Errorf("%.40s: got %v", text, err)
		}
	}
}

// JSON text keeps the text of numbers, so that no number is written out.
func TestNumbersInJSONTextAreNotLimited(t *testing.T) {
	t.Parallel()
	got := decode(t, thing, `{"nodes":[1e4096,1e-999999999],"name":1e999999999}`)
	if got["nodes_json"] != "[1e4096,1e-999999999]" || got["name"] != "1e999999999" {
		t.Errorf("got %v", got)
	}
}
