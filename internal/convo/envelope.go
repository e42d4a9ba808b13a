// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
)

// Limits on texts of a response, in characters, so that errors remain readable.
const maxExcerpt, maxText = 200, 1000

// Clean prepares a text of the service for display or storage as one line. It masks
// secrets, removes unprintable characters, and returns at most 1,000 characters.
func (c *Client) Clean(text string) string { return c.redactor.Clean(text, maxText) }

// envelope is the error envelope, with the fields in which other services send the
// same. Values of other types are omitted.
type envelope struct {
	Code, Message string
	Issues        []issue
	Data          struct{ Issues []issue }
	// Error is the message, or an object with the code and the message.
	Error json.RawMessage
}

type issue struct {
	Path    []any
	Message string
}

// responseError returns a response with a status other than 200, or with an empty
// body, as an error.
func (c *Client) responseError(op operation, response *http.Response, body []byte) *ResponseError {
	e := &ResponseError{
		Operation: op.name, URL: c.url(op), RequestID: c.requestID(response.Header), Status: response.StatusCode,
		RetryAfter: retryAfter(response.Header), Attempts: op.attempt,
	}
	c.readEnvelope(e, body)
	return e
}

// InvalidResponse returns a 200 that is not its operation's response, such as the
// error envelope or a body that is not JSON, as a ResponseError. err describes how
// it violates the API.
func (c *Client) InvalidResponse(response *Response, err error) *ResponseError {
	e := &ResponseError{Status: http.StatusOK, URL: response.URL, RequestID: response.RequestID, Err: err}
	c.readEnvelope(e, response.Body[:min(len(response.Body), maxErrorBody)])
	return e
}

// readEnvelope sets the texts of an error from the body of its response: those
// of the envelope, or an excerpt of a body that is not one.
func (c *Client) readEnvelope(e *ResponseError, body []byte) {
	var content envelope
	_ = json.Unmarshal(body, &content) // Whatever can be read is used.
	var text string
	var inner envelope
	_ = json.Unmarshal(content.Error, &text)
	_ = json.Unmarshal(content.Error, &inner)
	code, message := cmp.Or(content.Code, inner.Code), cmp.Or(content.Message, text, inner.Message)
	e.Code, e.Message = c.Clean(code), c.Clean(message)
	if code+message == "" {
		masked := c.redactor.Mask(html.UnescapeString(string(body)))
		e.Excerpt = c.redactor.Clean(notText.ReplaceAllString(masked, " "), maxExcerpt)
	}
	issues := content.Issues
	if len(issues) == 0 {
		issues = content.Data.Issues
	}
	for _, issue := range issues {
		if text := c.Clean(issue.text()); text != "" {
			e.Issues = append(e.Issues, text)
		}
	}
}

// text is the message after its path, such as "workspaceId: Required".
func (i issue) text() string {
	var texts []string
	for _, element := range i.Path {
		texts = append(texts, fmt.Sprint(element))
	}
	if path := strings.Join(texts, "."); path != "" {
		return path + ": " + i.Message
	}
	return i.Message
}

// notText matches what an excerpt omits: tags, scripts and styles, also if they are
// not closed, and everything from the first character that can begin JSON, because
// it could be a part of a definition.
var notText = regexp.MustCompile(`(?is)<(script|style)\b.*?(</(script|style)>|$)|<[^>]*>|[{\[].*`)
