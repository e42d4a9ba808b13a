// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package collect

import (
	"errors"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// A problem always has a message, and not "OK" if the response is invalid.
func TestProblemMessages(t *testing.T) {
	t.Parallel()
	invalid := errors.New("agent: required, but null or missing")
	for want, err := range map[string]*convo.ResponseError{
		"Slow down":             {Status: 429, Code: "SLOW_DOWN", Message: "Slow down"},
		"It is down":            {Status: 503, Excerpt: "It is down"},
		"Internal Server Error": {Status: 500},
		"Not Found":             {Status: 404, Code: "NOT_FOUND"},
		"Not allowed":           {Status: 200, Code: "FORBIDDEN", Message: "Not allowed", Err: invalid},
		invalid.Error():         {Status: 200, Code: "FORBIDDEN", Err: invalid},
	} {
		if p, _ := problemOf(err); *p.Message != want {
			t.Errorf("got %q, want %q", *p.Message, want)
		}
	}
}

// A service is unavailable if it does not respond, fails, limits requests, or refuses the
// token. A redirect or a response that is too large comes from a service that is there.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	none := errors.New("none")
	for _, test := range []struct {
		err  error
		want bool
	}{
		{&convo.ResponseError{Status: 503}, true},
		{&convo.ResponseError{Status: 429}, true},
		{&convo.ResponseError{Status: 401}, true},
		{&convo.ResponseError{Status: 403}, false},
		{&convo.ResponseError{Status: 404}, false},
		{&convo.TransportError{Reason: convo.ReasonTimeout, Err: none}, true},
		{&convo.TransportError{Reason: convo.ReasonConnection, Err: none}, true},
		{&convo.ResponseError{Status: 302, Err: convo.ErrRedirect}, false},
		{&convo.TransportError{Reason: convo.ReasonTooLarge, Err: none}, false},
		{errors.New("the ID must not be empty"), false},
	} {
		if _, got := problemOf(test.err); got != test.want {
			t.Errorf("%+v: got %t", test.err, got)
		}
	}
}
