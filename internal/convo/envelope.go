// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Limits on quotations of a response, so that errors remain readable.
const (
	maxExcerpt   = 200
	maxTextShown = 1000
	maxIssues    = 20
	// maxSearched limits the part of a body that an excerpt is made from.
	maxSearched = 64 << 10
)

// Quote prepares a text of the service for display or storage. It removes
// secrets and unprintable characters, and returns at most 1,000 characters.
func (c *Client) Quote(text string) string { return c.secrets.quote(text, maxTextShown) }

// read reads the error envelope, or an excerpt of a body that is not one. It
// masks secrets in both.
func (e *ResponseError) read(body []byte, hidden secrets) {
	fields := topLevel(body)
	code, message := looseText(fields["code"]), cmp.Or(looseText(fields["message"]), looseText(fields["error"]))
	if code+message == "" {
		e.Excerpt = hidden.quote(quotable(body), maxExcerpt)
		return
	}
	e.Code, e.Message = hidden.quote(code, maxTextShown), hidden.quote(message, maxTextShown)
	var issues []struct {
		Message json.RawMessage `json:"message"`
	}
	if json.Unmarshal(fields["issues"], &issues) != nil {
		return // Issues of a different type do not invalidate the rest.
	}
	for i, issue := range issues {
		if i == maxIssues {
			e.Issues = append(e.Issues, fmt.Sprintf("and %d more", len(issues)-maxIssues))
			break
		}
		e.Issues = append(e.Issues, hidden.quote(looseText(issue.Message), maxTextShown))
	}
}

// topLevel returns the fields of a JSON object by their lowercase names. If the
// object is truncated or invalid, it returns the fields before that point.
func topLevel(body []byte) map[string]json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(withoutMark(body)))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	fields := map[string]json.RawMessage{}
	for decoder.More() {
		var value json.RawMessage
		token, err := decoder.Token()
		name, ok := token.(string)
		if err != nil || !ok || decoder.Decode(&value) != nil {
			break
		}
		fields[strings.ToLower(name)] = value
	}
	return fields
}

// looseText returns the content of a JSON string, or the text of a number or
// bool, so that the code 404 is equivalent to "404". It returns "" for other
// values.
func looseText(value json.RawMessage) string {
	var text string
	switch {
	case len(value) == 0 || json.Unmarshal(value, &text) == nil || value[0] == '{' || value[0] == '[':
		return text
	}
	return string(value)
}

// maxWord is the length of the longest word in a quoted text. Longer words are
// likely to be encoded data.
const maxWord = 64

// quotable returns the part of a body that is not the error envelope and can be
// shown. It must not contain any part of a definition, whatever precedes or
// surrounds it. It is therefore limited to markup before the first possible
// data, and to text without JSON or long words.
func quotable(body []byte) string {
	text := string(bytes.TrimSpace(withoutMark(body[:min(len(body), maxSearched)])))
	before, _, found := strings.Cut(text, `":`)
	if i := strings.IndexAny(before, "{}[]"); i >= 0 {
		before, found = before[:i], true
	}
	if strings.HasPrefix(text, "<") {
		return before
	}
	tooLong := func(word string) bool { return len(word) > maxWord }
	if found || slices.ContainsFunc(strings.Fields(text), tooLong) {
		return ""
	}
	return text
}

// beginsAsJSON reports whether a body is a JSON object or array, or the
// beginning of one.
func beginsAsJSON(body []byte) bool {
	body = bytes.TrimSpace(withoutMark(body))
	return len(body) > 0 && (body[0] == '{' || body[0] == '[')
}

// withoutMark removes a byte order mark, which JSON does not permit.
func withoutMark(body []byte) []byte { return bytes.TrimPrefix(body, []byte("\uFEFF")) }

// printable collapses white space, removes unprintable characters, which could
// control the user's terminal, and truncates to limit characters.
func printable(text string, limit int) string {
	var b strings.Builder
	count, space := 0, false
	for _, r := range text {
		if unicode.IsSpace(r) {
			space = count > 0
			continue
		}
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			continue
		}
		if space && count < limit {
			b.WriteByte(' ')
			count++
		}
		space = false
		if count >= limit {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
		count++
	}
	return b.String()
}
