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

// Bounds on what is quoted of a response, so that an error stays readable.
const (
	maxExcerpt   = 200
	maxTextShown = 1000
	maxIssues    = 20
	// maxSearched is how much of a body an excerpt is made from.
	maxSearched = 64 << 10
)

// Quote makes a text of the service fit to be shown or stored: without secrets
// and what cannot be printed, at most 1,000 characters of it.
func (c *Client) Quote(text string) string { return c.secrets.quote(text, maxTextShown) }

// read reads the error envelope, or takes an excerpt of a body that is none.
// The secrets are hidden in both.
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
		return // Issues of another shape are no reason to lose the rest.
	}
	for i, issue := range issues {
		if i == maxIssues {
			e.Issues = append(e.Issues, fmt.Sprintf("and %d more", len(issues)-maxIssues))
			break
		}
		e.Issues = append(e.Issues, hidden.quote(looseText(issue.Message), maxTextShown))
	}
}

// topLevel returns the fields of a JSON object by their names in lower case,
// up to where the object is cut off or stops being JSON.
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

// looseText returns a string of JSON, or the text of a number or bool that
// stands in its place: a code of 404 says as much as one of "404". What is no
// text is empty.
func looseText(value json.RawMessage) string {
	var text string
	switch {
	case len(value) == 0 || json.Unmarshal(value, &text) == nil || value[0] == '{' || value[0] == '[':
		return text
	}
	return string(value)
}

// maxWord is the longest word of a text that is quoted: what is longer is data
// in some encoding.
const maxWord = 64

// quotable returns what may be shown of a body that is not the error envelope,
// of which nothing may be a part of a definition, whatever was put before or
// around it. That leaves markup up to where data could begin, and text that has
// neither a trace of JSON nor a word too long for one.
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

// beginsAsJSON reports whether a body is, or could go on to be, a JSON object or
// array.
func beginsAsJSON(body []byte) bool {
	body = bytes.TrimSpace(withoutMark(body))
	return len(body) > 0 && (body[0] == '{' || body[0] == '[')
}

// withoutMark strips a byte order mark, which is no part of JSON.
func withoutMark(body []byte) []byte { return bytes.TrimPrefix(body, []byte("\uFEFF")) }

// printable folds white space, drops what cannot be printed (control sequences
// would reach the user's terminal) and cuts after limit characters.
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
