// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package oneline_test

import (
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                  "",
		"\n a\t b\u2028c\u00a0 ":            "a b c",
		"\x1b[31mred\x00\u202e\u2066\u200b": "[31mred",
		"👩\u200d🚒 عربي":                     "👩\u200d🚒 عربي",
		"\xff":                              "\ufffd",
		strings.Repeat("💥", 20):             strings.Repeat("💥", 20),
		strings.Repeat("💥", 21):             strings.Repeat("💥", 20) + "…",
		strings.Repeat("a", 19) + " b":      strings.Repeat("a", 19) + "…",
	} {
		if got := oneline.Text(text, 20); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
