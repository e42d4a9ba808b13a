// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/redact"
)

// Limits on texts of a response, in characters, so that errors remain readable.
const maxExcerpt, maxText = 200, 1000

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

// readEnvelope sets the texts of an error from the body of its response: those
// of the envelope, or an excerpt of a body that is not one.
func (e *ResponseError) readEnvelope(body []byte, redactor *redact.Redactor) {
	var content envelope
	_ = json.Unmarshal(body, &content) // Whatever can be read is used.
	var text string
	var inner envelope
	_ = json.Unmarshal(content.Error, &text)
	_ = json.Unmarshal(content.Error, &inner)
	code, message := cmp.Or(content.Code, inner.Code), cmp.Or(content.Message, text, inner.Message)
	e.Code, e.Message = redactor.Clean(code, maxText), redactor.Clean(message, maxText)
	if code+message == "" {
		beginning := string(body[:min(len(body), maxErrorBody)])
		masked := redactor.Mask(html.UnescapeString(beginning))
		e.Excerpt = redactor.Clean(notText.ReplaceAllString(masked, " "), maxExcerpt)
	}
	issues := content.Issues
	if len(issues) == 0 {
		issues = content.Data.Issues
	}
	for _, issue := range issues {
		if text := redactor.Clean(issue.text(), maxText); text != "" {
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
