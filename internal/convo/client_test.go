// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		config convo.Config
		want   string
	}{
		"no base URL": {convo.Config{Token: "t"}, "the base URL must be an absolute https or http URL, such as https://agents.example/api"},
		"a base URL with a query": {
			convo.Config{BaseURL: "https://convo.example?a=b", Token: "t"}, "the base URL must not contain user information, a query, or a fragment. Remove them",
		},
		"no token": {convo.Config{BaseURL: "https://convo.example"}, "the token must not be empty"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, err := convo.New(test.config)
			if client != nil || err == nil || err.Error() != test.want {
				t.Errorf("got %v, %v; want the error %q", client, err, test.want)
			}
		})
	}
}
