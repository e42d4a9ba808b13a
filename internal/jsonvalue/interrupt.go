// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import "context"

// interrupt ends work on a document with its context.
type interrupt struct {
	ctx   context.Context
	steps uint
	err   error
}

// ended reports whether the context has ended. It is called for each value and
// each comparison, so it does not check the context every time.
func (i *interrupt) ended() bool {
	if i.steps%256 == 0 && i.err == nil {
		i.err = i.ctx.Err()
	}
	i.steps++
	return i.err != nil
}
