// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Limits on quotations of a response, in characters, so that errors remain
// readable.
const (
	maxExcerpt   = 200
	maxTextShown = 1000
	maxIssues    = 20
	// maxWord is the length of the longest word in a quoted text. Longer words are
	// likely to be encoded data.
	maxWord = 64
	// maxSearched limits the part of a body that an excerpt is made from, in bytes.
	maxSearched = 64 << 10
)

// ErrorIn returns the content of a 200 that is not its operation's response,
// such as the error envelope or a body that is not JSON, as a ResponseError. Like
// the body of an error, it reads no more than 1 MiB, because decoding an unknown
// body takes many times its size.
func (c *Client) ErrorIn(response *Response) *ResponseError {
	e := &ResponseError{Status: http.StatusOK, URL: response.URL, RequestID: response.RequestID}
	e.read(response.Body[:min(len(response.Body), maxErrorBody)], c.secrets)
	return e
}

// envelope is the error envelope. Its values have any type, because a value of a
// wrong one does not invalidate the others.
type envelope struct {
	Code, Message, Error any
	Issues               []issue
	Data                 struct{ Issues []issue }
}

type issue struct{ Path, Message any }

// read reads the error envelope, or an excerpt of a body that is not one. It
// masks secrets in both.
func (e *ResponseError) read(body []byte, hidden secrets) {
	body = withoutMark(body)
	decoder := json.NewDecoder(bytes.NewReader(completeFields(body)))
	decoder.UseNumber()
	var content envelope
	_ = decoder.Decode(&content) // Values of wrong types are omitted.
	code, message := textOf(content.Code), cmp.Or(textOf(content.Message), textOf(content.Error))
	if code+message == "" {
		e.Excerpt = hidden.quote(quotable(body), maxExcerpt)
		return
	}
	e.Code, e.Message = hidden.quote(code, maxTextShown), hidden.quote(message, maxTextShown)
	issues := content.Issues
	if len(issues) == 0 {
		issues = content.Data.Issues
	}
	for i, issue := range issues {
		if i == maxIssues {
			e.Issues = append(e.Issues, fmt.Sprintf("and %d more", len(issues)-maxIssues))
			break
		}
		if text := issue.text(); text != "" {
			e.Issues = append(e.Issues, hidden.quote(text, maxTextShown))
		}
	}
}

// completeFields returns the JSON object that a body begins with. If the body is
// truncated or invalid, the object ends before that point.
func completeFields(body []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	end := decoder.InputOffset()
	for decoder.More() {
		var value json.RawMessage
		if _, err := decoder.Token(); err != nil || decoder.Decode(&value) != nil {
			break
		}
		end = decoder.InputOffset()
	}
	return append(slices.Clip(body[:end]), '}')
}

// text is the message after its path, such as "workspaceId: Required".
func (i issue) text() string {
	path := textOf(i.Path)
	if elements, ok := i.Path.([]any); ok {
		var texts []string
		for _, element := range elements {
			texts = append(texts, textOf(element))
		}
		path = strings.Join(texts, ".")
	}
	if path == "" {
		return textOf(i.Message)
	}
	return path + ": " + textOf(i.Message)
}

// textOf returns a string, number or bool as text, so that the code 404 is
// equivalent to "404". It returns "" for other values.
func textOf(value any) string {
	switch value.(type) {
	case string, json.Number, bool:
		return fmt.Sprint(value)
	}
	return ""
}

// quotable returns the part of a body that is not the error envelope and can be
// shown. It must not contain any part of a definition, whatever precedes or
// surrounds it. It is therefore limited to text without JSON or long words, and
// to the text of a page before the first possible data.
func quotable(body []byte) string {
	text := string(bytes.TrimSpace(body[:min(len(body), maxSearched)]))
	isPage := strings.HasPrefix(text, "<")
	if isPage {
		text = html.UnescapeString(markup.ReplaceAllString(text, " "))
	}
	before, _, found := strings.Cut(text, `":`)
	if i := strings.IndexAny(before, "{}[]"); i >= 0 {
		before, found = before[:i], true
	}
	isLong := func(word string) bool { return len(word) > maxWord }
	if found && !isPage || slices.ContainsFunc(strings.Fields(before), isLong) {
		return ""
	}
	return before
}

// markup matches tags, comments and scripts of a page, also unclosed ones.
var markup = regexp.MustCompile(`(?is)<(script|style)\b.*?(</(script|style)\s*>|$)|<!--.*?(-->|$)|<[^>]*>`)
