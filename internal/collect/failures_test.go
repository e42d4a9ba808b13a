// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package collect

import (
	"errors"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// A problem has a message without one of the service, too. What is too large comes from a
// service that is there.
func TestProblemOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err           error
		message       string
		isUnavailable bool
	}{
		{&convo.ResponseError{Status: 500}, "Internal Server Error", true},
		{&convo.ResponseError{Status: 404, Code: "NOT_FOUND"}, "Not Found", false},
		{&convo.ResponseError{Status: 200, Err: errors.New("not valid JSON"), Excerpt: "Log in"}, "not valid JSON", false},
		{&convo.TransportError{Reason: convo.ReasonConnection, Err: errors.New("refused")}, "refused", true},
		{&convo.TransportError{Reason: convo.ReasonTooLarge, Err: errors.New("too large")}, "too large", false},
	} {
		if message := *problemOf(test.err).Message; message != test.message || isUnavailable(test.err) != test.isUnavailable {
			t.Errorf("got %q, %t, want %q, %t", message, isUnavailable(test.err), test.message, test.isUnavailable)
		}
	}
}
