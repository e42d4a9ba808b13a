// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Response is a response to one attempt.
type Response struct {
	Body      []byte // need not be JSON
	client    *Client
	operation *operation
	status    int
	header    http.Header
}

// Decode decodes the response into the struct to which body points. It fails with an *Error
// if the response does not conform to the API, also if a field that has the tag required is
// missing.
func (r *Response) Decode(body any) error {
	err := jsonvalue.Decode(r.Body, body)
	missing, encoding := jsonvalue.Missing(body), r.header.Get("Content-Encoding")
	switch {
	case len(bytes.TrimSpace(r.Body)) == 0:
		return r.asError(ReasonNotTheService, "empty body")
	case err == nil && len(missing) == 0:
		return nil
	case err == nil:
		return r.asError(ReasonNotTheService, missing[0]+": required, but null or missing")
	case encoding != "" && errors.Is(err, jsonvalue.ErrNotJSON):
		return r.asError(ReasonInvalid, fmt.Sprintf("the header Content-Encoding is %q, which was not requested", encoding))
	case errors.Is(err, jsonvalue.ErrNotJSON), errors.Is(err, jsonvalue.ErrNotObject):
		return r.asError(ReasonNotTheService, err.Error())
	}
	return r.asError(ReasonInvalid, err.Error())
}

// asError returns the response as an error. Its body can be the error envelope, also if its status is
// 200. The service sends a code with each error, so that a response with a code is from the service.
func (r *Response) asError(reason Reason, problem string) *Error {
	e := &Error{
		Reason:      reason,
		Problem:     problem, // can contain keys of the response
		HadNoEffect: r.status/100 == 4 && reason != ReasonServiceFailed,
		RequestID:   r.requestID(),
		Status:      r.status,
		RetryAfter:  retryAfter(r.header),
		IsTemporary: reason == ReasonServiceFailed || reason == ReasonThrottled,
	}
	r.readEnvelope(e)
	if reason == ReasonNotTheService && e.Code != "" {
		e.Reason = ReasonRejected
		if r.status == http.StatusOK {
			e.Reason = ReasonInvalid
		}
	}
	return r.client.complete(e, r.operation)
}

// reasonOf returns the reason of a response with a status other than 200 and without a code.
func reasonOf(status int) Reason {
	switch {
	case status >= http.StatusInternalServerError, status == http.StatusRequestTimeout, status == http.StatusTooEarly:
		return ReasonServiceFailed
	case status == http.StatusTooManyRequests:
		return ReasonThrottled
	case status == http.StatusProxyAuthRequired:
		return ReasonProxy
	case status < http.StatusMultipleChoices:
		return ReasonInvalid
	}
	return ReasonNotTheService
}

// requestID returns the ID of the request in the service's logs, or "".
func (r *Response) requestID() string {
	return r.client.redactor.Clean(r.header.Get("X-Request-Id"), maxExcerpt)
}

// retryAfter reads a Retry-After header, in seconds or as an HTTP date. It returns 0 for a
// missing or invalid header.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	date, _ := http.ParseTime(value) // An invalid one is in the past.
	return max(0, time.Until(date))
}

// Limits on texts of a response, in characters, so that errors remain readable.
const maxExcerpt, maxText = 200, 1000

// envelope is the error envelope. Some services send the issues in an object. Values of
// other types are omitted.
type envelope struct {
	Code, Message string
	Issues        []issue
	Data          struct{ Issues []issue }
}

type issue struct {
	Path    []any
	Message string
}

// readEnvelope sets the texts of an error from the body of its response: those
// of the envelope, or an excerpt of a body that is not one.
func (r *Response) readEnvelope(e *Error) {
	var content envelope
	_ = json.Unmarshal(r.Body, &content) // Whatever can be read is used.
	e.Code = r.client.clean(content.Code)
	e.Message = r.client.clean(content.Message)
	masked := r.client.redactor.Mask(html.UnescapeString(string(r.Body)))
	e.Excerpt = r.client.redactor.Clean(notText.ReplaceAllString(masked, " "), maxExcerpt) // "" if the body is the envelope
	for _, issue := range append(content.Issues, content.Data.Issues...) {
		if text := r.client.clean(issue.text()); text != "" {
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
