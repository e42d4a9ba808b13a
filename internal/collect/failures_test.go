// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package collect

import (
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
		{&convo.Error{Status: 500, Reason: convo.ReasonServiceFailed}, "Internal Server Error", true},
		{&convo.Error{Status: 404, Code: "NOT_FOUND", Reason: convo.ReasonRejected}, "Not Found", false},
		{&convo.Error{Status: 200, Problem: "not valid JSON", Excerpt: "Log in", Reason: convo.ReasonNotTheService}, "not valid JSON", false},
		{&convo.Error{Status: 407, Reason: convo.ReasonProxy}, "Proxy Authentication Required", true},
		{&convo.Error{Reason: convo.ReasonConnection, Problem: "refused"}, "refused", true},
		{&convo.Error{Reason: convo.ReasonInvalid, Problem: "too large"}, "too large", false},
	} {
		if message := *problemOf(test.err).Message; message != test.message || isUnavailable(test.err) != test.isUnavailable {
			t.Errorf("got %q, %t, want %q, %t", message, isUnavailable(test.err), test.message, test.isUnavailable)
		}
	}
}
