// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"strconv"
	"strings"
)

// maxZeros is the largest exponent of a number that is written without it.
const maxZeros = 30

// Number returns the JSON of a number in one spelling, so that equal numbers are equal text:
// without zeros that have no meaning, and with an exponent only if it is large. It works on
// text, so that the time does not grow with the exponent.
func Number(text string) string {
	mantissa, exponent := text, int64(0)
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		mantissa = text[:i]
		exponent, err = strconv.ParseInt(text[i+1:], 10, 32)
		if err != nil && strings.Trim(mantissa, "-.0") != "" {
			return text // The exponent is outside 32 bits.
		}
	}
	unsigned := strings.TrimPrefix(mantissa, "-")
	sign := mantissa[:len(mantissa)-len(unsigned)]
	whole, fraction, _ := strings.Cut(unsigned, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	significant := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(significant) - len(fraction))
	switch {
	case significant == "":
		return "0"
	case exponent >= 0 && exponent <= maxZeros:
		return sign + significant + strings.Repeat("0", int(exponent))
	case exponent < 0 && exponent >= -maxZeros:
		return sign + withPoint(significant, int(-exponent))
	}
	return sign + significant + "e" + strconv.FormatInt(exponent, 10)
}

// withPoint writes a point before the last decimals of a number.
func withPoint(digits string, decimals int) string {
	if missing := decimals + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - decimals
	return digits[:point] + "." + digits[point:]
}
