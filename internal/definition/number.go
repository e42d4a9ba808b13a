// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"bytes"
	"slices"
	"strconv"
)

// appendNumber appends a number such that equal numbers are equal text: the digits
// without zeros at either end, and the exponent. It works on text, so that the time
// does not grow with the exponent.
func appendNumber(dst, number []byte) []byte {
	if len(number) == 1 {
		return append(dst, number...)
	}
	mantissa, exponent := number, int64(0)
	if i := bytes.IndexAny(number, "eE"); i >= 0 {
		var err error
		exponent, err = strconv.ParseInt(string(number[i+1:]), 10, 32)
		mantissa = number[:i]
		if err != nil && len(bytes.Trim(mantissa, "-.0")) > 0 {
			return append(dst, number...) // The exponent is outside 32 bits.
		}
	}
	sign := mantissa[:len(mantissa)-len(bytes.TrimPrefix(mantissa, []byte("-")))]
	whole, fraction, _ := bytes.Cut(mantissa[len(sign):], []byte("."))
	digits := bytes.TrimLeft(slices.Concat(whole, fraction), "0")
	significant := bytes.TrimRight(digits, "0")
	if len(significant) == 0 {
		return append(dst, '0')
	}
	dst = append(append(dst, sign...), significant...)
	exponent += int64(len(digits) - len(significant) - len(fraction))
	if exponent == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, 'e'), exponent, 10)
}
