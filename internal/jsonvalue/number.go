// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"cmp"
	"strconv"
	"strings"
)

// zeros are as many as a number without an exponent can have at its end, or behind its point.
const zeros = "000000000000000000000000000000"

// Number returns the JSON of a number in one spelling, so that equal numbers are equal text:
// without zeros that have no meaning, and with an exponent only if it is large. It works on
// text, so that the time does not grow with the exponent.
func Number(text string) string {
	mantissa, power, _ := strings.Cut(strings.ToLower(text), "e")
	exponent, err := strconv.ParseInt(cmp.Or(power, "0"), 10, 32)
	if err != nil {
		return text // The exponent is outside 32 bits.
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
	case exponent >= 0 && exponent <= int64(len(zeros)):
		return sign + significant + zeros[:exponent]
	case exponent < 0 && exponent >= -int64(len(zeros)):
		digits = zeros + significant
		point := len(digits) + int(exponent)
		return sign + cmp.Or(strings.TrimLeft(digits[:point], "0"), "0") + "." + digits[point:]
	}
	return sign + significant + "e" + strconv.FormatInt(exponent, 10)
}
