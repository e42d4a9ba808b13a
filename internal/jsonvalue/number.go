// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"strconv"
	"strings"
)

// AppendNumber appends a number such that equal numbers are equal text: the digits
// without zeros at either end, and the exponent. It works on text, so that the time
// does not grow with the exponent.
func AppendNumber(dst []byte, number string) []byte {
	if len(number) == 1 {
		return append(dst, number...)
	}
	mantissa, exponent := number, int64(0)
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		var err error
		exponent, err = strconv.ParseInt(number[i+1:], 10, 32)
		mantissa = number[:i]
		if err != nil && len(strings.Trim(mantissa, "-.0")) > 0 {
			return append(dst, number...) // The exponent is outside 32 bits.
		}
	}
	unsigned := strings.TrimPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return append(dst, '0')
	}
	dst = append(append(dst, mantissa[:len(mantissa)-len(unsigned)]...), significant...)
	exponent += int64(len(digits) - len(significant) - len(fraction))
	if exponent == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, 'e'), exponent, 10)
}
