// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import "strconv"

// exactCharacters is the number of characters of a number that a float64 always keeps.
const exactCharacters = 15

// Number returns the JSON of a number in one spelling, so that equal numbers are equal text.
// One that is longer, or too large for a float64, is unchanged.
func Number(text string) string {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || len(text) > exactCharacters {
		return text
	}
	return strconv.FormatFloat(number+0, 'f', -1, 64) // The sum of -0 and 0 is 0.
}
