// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/oneline"
	"github.com/convo/terraform-provider-convo/internal/redact"
)

// Shown returns the JSON of settings, or a URL, as plans and reports show it, and "" for nil.
// A hash, which tells two secrets apart, is in place of each text under the name of a secret
// and of each value in the query of a URL.
func Shown(text *string) string {
	decoder := json.NewDecoder(strings.NewReader(valueOf(text)))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil || decoder.More() { // It is no JSON.
		return withoutQuery(valueOf(text))
	}
	m := &masker{}
	value = m.mask(value, false)
	if !m.found {
		return *text
	}
	var shown bytes.Buffer
	encoder := json.NewEncoder(&shown)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // It was JSON.
	return strings.TrimSpace(shown.String())
}

type masker struct{ found bool }

// mask masks the texts in a value, all of them if it is a secret.
func (m *masker) mask(value any, isSecret bool) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			value[name] = m.mask(member, isSecret || redact.SecretName.MatchString(name))
		}
	case []any:
		for i, element := range value {
			value[i] = m.mask(element, isSecret)
		}
	case string:
		shown := withoutQuery(value)
		if isSecret && value != "" {
			shown = maskOf(value)
		}
		m.found = m.found || shown != value
		return shown
	}
	return value
}

var queryValue = regexp.MustCompile(`([?&][^=&#\s]+=)([^&#\s]+)`)

func withoutQuery(text string) string {
	return queryValue.ReplaceAllStringFunc(text, func(found string) string {
		name, value, _ := strings.Cut(found, "=")
		return name + "=" + maskOf(value)
	})
}

// maskOf is long enough that nobody can find a second secret with the same mask, which would
// be no change.
func maskOf(secret string) string { return "***" + oneline.Hash(secret)[:24] }
