// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package lazyregexp compiles regular expressions when they are first used. Each plan
// starts the provider several times, and most starts need none of them.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the compiled expression.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
