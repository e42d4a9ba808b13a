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
// such as the error envelope or a body that is not JSON, as a ResponseError.
func (c *Client) ErrorIn(response *Response) *ResponseError {
	e := &ResponseError{Status: http.StatusOK, URL: response.URL, RequestID: response.RequestID}
	e.read(response.Body, c.secrets)
	return e
}

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
	issues := issuesIn(fields["issues"])
	if len(issues) == 0 {
		issues = issuesIn(topLevel(fields["data"])["issues"])
	}
	for i, issue := range issues {
		if i == maxIssues {
			e.Issues = append(e.Issues, fmt.Sprintf("and %d more", len(issues)-maxIssues))
			break
		}
		e.Issues = append(e.Issues, hidden.quote(issue, maxTextShown))
	}
}

// issuesIn returns the messages of issues, each after its path, such as
// "workspaceId: Required". Issues of a different type are omitted, because they
// do not invalidate the rest.
func issuesIn(value json.RawMessage) []string {
	var issues []struct{ Path, Message json.RawMessage }
	if json.Unmarshal(value, &issues) != nil {
		return nil
	}
	var texts []string
	for _, issue := range issues {
		text := looseText(issue.Message)
		if path := pathText(issue.Path); path != "" {
			text = path + ": " + text
		}
		texts = append(texts, text)
	}
	return texts
}

// pathText returns a path that is a string, or a list of strings and numbers.
func pathText(value json.RawMessage) string {
	var elements []json.RawMessage
	if json.Unmarshal(value, &elements) != nil {
		return looseText(value)
	}
	var path []string
	for _, element := range elements {
		path = append(path, looseText(element))
	}
	return strings.Join(path, ".")
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
	if len(value) == 0 || json.Unmarshal(value, &text) == nil || value[0] == '{' || value[0] == '[' {
		return text
	}
	return string(value)
}

// quotable returns the part of a body that is not the error envelope and can be
// shown. It must not contain any part of a definition, whatever precedes or
// surrounds it. It is therefore limited to text without JSON or long words, and
// to the text of a page before the first possible data.
func quotable(body []byte) string {
	text := string(bytes.TrimSpace(withoutMark(body[:min(len(body), maxSearched)])))
	isPage := strings.HasPrefix(text, "<")
	if isPage {
		text = pageText(text)
	}
	before, _, found := strings.Cut(text, `":`)
	if i := strings.IndexAny(before, "{}[]"); i >= 0 {
		before, found = before[:i], true
	}
	tooLong := func(word string) bool { return len(word) > maxWord }
	if found && !isPage || slices.ContainsFunc(strings.Fields(before), tooLong) {
		return ""
	}
	return before
}

// markup matches tags, comments and scripts of a page, also unclosed ones.
var markup = regexp.MustCompile(`(?is)<(script|style)\b.*?(</(script|style)\s*>|$)|<!--.*?(-->|$)|<[^>]*>`)

// pageText returns the text of an HTML or XML page.
func pageText(page string) string { return html.UnescapeString(markup.ReplaceAllString(page, " ")) }
