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

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

func TestNumbersKeepTheirPrecision(t *testing.T) {
	t.Parallel()
	zeros := func(n int) string { return strings.Repeat("0", n) }
	for name, text := range map[string]string{
		"zero": "0", "negative": "-1", "above 2^53": "9007199254740993", "above 64 bits": "12345678901234567890123",
		"largest int64": "9223372036854775807", "smallest int64": "-9223372036854775808", "above int64": "9223372036854775808",
		"negative with fraction": "-98765432109876543210.000000001", "fraction": "0.1", "small": "1e-7", "decimal": "120.5", "negative decimal": "-120.5",
		"largest float64": "1.7976931348623157e+308", "smallest float64": "4.9406564584124654e-324", "zeros after the point": "0.00012",
		"exponent in capitals": "12E3", "exponent with zeros": "1e0000000000000000000005", "exponent that moves the point": "1234567.5e-3",
		"zeros at both ends": "100.00100", "exponent of nothing": "7e0", "precision of Terraform": "0." + strings.Repeat("123456789", 17),
		// At the limit of 400 digits.
		"large": "1e399", "large in full": "1" + zeros(399), "large negative": "-1e399", "large with a point": "1.5e399", "large from a fraction": "0.001e402",
		"tiny": "1e-400", "tiny in full": "0." + zeros(399) + "1", "tiny with a point": "1.5e-399", "tiny from a large": "1" + zeros(50) + "e-450",
		"digits on both sides": strings.Repeat("1", 200) + "." + strings.Repeat("1", 200), "zeros that do not count": "1." + zeros(5000),
		"zeros moved away": "0." + zeros(1000) + "1e1001", "many zeros moved away": "0." + zeros(40_000) + "1e40001",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value, _, err := decoderOf(t, thing, jsonvalue.Options{}).Decode([]byte(`{"zIndex":` + text + `}`))
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
			if len(dynamic.MsgPack) > 500 {
				t.Errorf("Terraform receives %d bytes", len(dynamic.MsgPack))
			}
		})
	}
}

func TestNumbersAreLimited(t *testing.T) {
	t.Parallel()
	zeros := func(n int) string { return strings.Repeat("0", n) }
	for name, text := range map[string]string{
		"large": "1e400", "large in full": "1" + zeros(400), "large negative": "-1e400", "large with a point": "1.5e400", "large from a fraction": "0.001e403",
		"tiny": "1e-401", "tiny in full": "0." + zeros(400) + "1", "tiny with a point": "1.5e-400", "tiny negative": "-1e-401",
		"digits on both sides": strings.Repeat("1", 200) + "." + strings.Repeat("1", 201), "more digits before": strings.Repeat("1", 201) + "." + strings.Repeat("1", 200),
		"many": strings.Repeat("7", 401), "enormous": "1e999999999", "minute": "1e-999999999",
		"exponent of 32 bits": "1e2147483647", "negative exponent of 32 bits": "0.1e-2147483648",
		"exponent above 64 bits": "1e99999999999999999999", "negative exponent above 64 bits": "1e-99999999999999999999",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := decoderOf(t, thing, jsonvalue.Options{}).Decode([]byte(`{"notes":[{},{"x":` + text + `}]}`))
			if err == nil || err.Error() != "notes[1].x: the number has more than 400 digits when written out in full" {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestZeroHasNoDigits(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "-0", "0.0", "-0.0", "0e999999999", "0.00e-99999999999999999999", "-0E+99999999999999999999", "0." + strings.Repeat("0", 500)} {
		got := decode(t, thing, jsonvalue.Options{}, `{"zIndex":`+text+`}`)
		if got["z_index"] != "0" {
			t.Errorf("%.40s: got %v", text, got["z_index"])
		}
	}
}

// JSON text keeps the text of numbers, so that no number is written out.
func TestNumbersInJSONTextAreNotLimited(t *testing.T) {
	t.Parallel()
	got := decode(t, thing, jsonvalue.Options{}, `{"nodes":[1e4096,1e-999999999],"name":1e999999999}`)
	if got["nodes_json"] != "[1e4096,1e-999999999]" || got["name"] != "1e999999999" {
		t.Errorf("got %v", got)
	}
}
