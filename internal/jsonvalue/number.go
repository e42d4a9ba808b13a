// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"bytes"
	"math/big"
	"slices"
	"strconv"
)

// precision is the size of the mantissa with which Terraform computes, in bits.
const precision = 512

// maxDigits limits numbers. Terraform writes every number out in full, so that
// a short text with a large exponent could fill the memory. The limit admits
// every float64, the smallest of which has 340 decimal places.
const maxDigits = 400

// parseNumber returns the value of a JSON number, and false if it has more than
// maxDigits digits when written out in full.
func parseNumber(text []byte) (*big.Float, bool) {
	number := new(big.Float).SetPrec(precision)
	// Nearly all numbers are short integers.
	if small, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return number.SetInt64(small), true
	}

	text, negative := bytes.CutPrefix(text, []byte("-"))
	mantissa, exponent := text, []byte("0")
	if e := bytes.IndexAny(text, "eE"); e >= 0 {
		mantissa, exponent = text[:e], text[e+1:]
	}
	integer, fraction, _ := bytes.Cut(mantissa, []byte("."))
	digits := bytes.TrimLeft(slices.Concat(integer, fraction), "0")
	point := int64(len(digits) - len(fraction))
	digits = bytes.TrimRight(digits, "0")
	if len(digits) == 0 {
		return number, true
	}
	// An exponent beyond 32 bits is beyond the limit, too.
	shift, err := strconv.ParseInt(string(exponent), 10, 32)
	if err != nil {
		return nil, false
	}
	// The value is 0.DIGITS times ten to the power of point.
	point += shift
	if max(point, 0)+max(int64(len(digits))-point, 0) > maxDigits {
		return nil, false
	}
	// This cannot fail, because the text is a number.
	_, _, _ = number.Parse("0."+string(digits)+"e"+strconv.FormatInt(point, 10), 10)
	if negative {
		number.Neg(number)
	}
	return number, true
}
