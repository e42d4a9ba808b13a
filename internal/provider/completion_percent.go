// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// completionPercent returns the percentage of completed sessions, or null if it
// is undefined. A fraction would lengthen Terraform's plan of an audit of 10,000
// agents by a sixth, because Terraform holds a decimal that is not exact in
// binary with 512 bits, and formats it three times whenever it stores it.
func completionPercent(counters map[string]tftypes.Value) (tftypes.Value, error) {
	undefined := tftypes.NewValue(tftypes.Number, nil)
	starts, err := valueAt[*big.Float](counters["total_starts"])
	if err != nil {
		return undefined, err
	}
	completed, err := valueAt[*big.Float](counters["total_completed"])
	if err != nil || starts == nil || completed == nil || starts.Sign() <= 0 {
		return undefined, err
	}
	percent := new(big.Rat).Quo(rational(completed), rational(starts))
	percent.Mul(percent, big.NewRat(100, 1))
	// The denominator is positive, so that the Euclidean division rounds down.
	return tftypes.NewValue(tftypes.Number, new(big.Float).SetInt(new(big.Int).Div(percent.Num(), percent.Denom()))), nil
}

// rational returns the shortest decimal of a number, which is the one that the
// service sent, or nearly so for a sum of fractions. Counts do not need the way
// through text, which is slow.
func rational(number *big.Float) *big.Rat {
	if n, accuracy := number.Int64(); accuracy == big.Exact {
		return new(big.Rat).SetInt64(n)
	}
	r, _ := new(big.Rat).SetString(number.Text('g', -1))
	return r
}
