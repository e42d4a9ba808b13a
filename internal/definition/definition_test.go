// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition_test

import (
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/definition"
)

// Some editors begin a file with a byte order mark.
func TestParse(t *testing.T) {
	t.Parallel()
	const text = "\ufeff\r\n{\"graph\": {}}\n"
	if got, err := definition.Parse([]byte(text)); err != nil || got.JSON() != `{"graph":{}}` {
		t.Errorf("got %v", err)
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	const (
		noObject  = "the definition is not a JSON object. Pass the text of a whole definition, such as definition_json of convo_agent, or file(...). To read YAML, use jsonencode(yamldecode(file(...)))"
		noGraph   = "the definition has no graph object"
		incorrect = "the definition cannot be read: "
	)
	for text, want := range map[string]string{
		"":                                      noObject,
		"\ufeff \r\n\t":                         noObject,
		"agents/orders.json":                    noObject,
		"graph: {}\n":                           noObject,
		"[{}]":                                  noObject,
		`{"graph": null}`:                       noGraph,
		"{\n<<<<<<< HEAD\n":                     incorrect + "not valid JSON (line 2, column 1)",
		"{\n\"a\": \"secret\"\n":                incorrect + "the JSON text ends in the middle of a value",
		"{\"a\": 1,\n\"a\": 2}":                 incorrect + "a: the key occurs twice",
		"{\"a\":" + strings.Repeat("[", 20_000): incorrect + "not valid JSON (line 1, column 10005)",
	} {
		if _, err := definition.Parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.100q: got the error %v, want %s", text, err, want)
		}
	}
}
