// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	const (
		absolute = "must be an absolute https or http URL, such as https://agents.example/api"
		parts    = "must not contain user information, a query, or a fragment. Remove them"
		space    = "must not begin or end with whitespace, such as a line break. Remove it"
	)
	for baseURL, want := range map[string]string{
		"https://convo.example":           "",
		"https://convo.example:8443/a/b/": "",
		"http://[::1]:8080/api":           "",
		"HTTPS://CONVO.EXAMPLE/a%2Fb":     "",

		"":                               absolute,
		"ftp://convo.example":            absolute,
		"http://a:hunter/22@b.example:c": absolute,
		"https://me:pass@convo.example":  parts,
		"https://convo.example?a=b":      parts,
		"https://convo.example/api#":     parts,
		"https://convo.example/api\n":    space,
		"https://convo.example/api/v1":   "must not end in /v1, because the provider appends it. Remove /v1 from the end",
	} {
		_, err := convo.ParseBaseURL(baseURL)
		if (want == "") != (err == nil) || err != nil && err.Error() != want {
			t.Errorf("%q: got %v, want %q", baseURL, err, want)
		}
	}
}

// FuzzURL has other IDs, and TestOperationsOnTheWire has one for each operation.
func TestInvalidIDs(t *testing.T) {
	t.Parallel()
	client := newClient(t, convo.Config{BaseURL: "http://127.0.0.1:1"})
	for documented, o := range operations(t) {
		for _, id := range []string{"", ".", ".."} {
			if _, err := o.call(testContext(t), client, id); documented.Target != documented.Path && (err == nil || err.Error() != `the ID must not be empty, ".", or ".."`) {
				t.Errorf("%s, %q: got %v", documented.Name, id, err)
			}
		}
	}
}
