// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// ParseBaseURL parses a base URL (specification, "Endpoints"), and removes its
// trailing slash. Errors complete the sentence "The value ..." and do not quote
// the URL, which can contain a password.
func ParseBaseURL(text string) (*url.URL, error) {
	scheme, _, _ := strings.Cut(strings.ToLower(text), "://")
	switch {
	case strings.TrimSpace(text) != text:
		return nil, errors.New("must not begin or end with whitespace")
	case scheme != "http" && scheme != "https":
		return nil, errors.New("must begin with https:// or http://")
	}
	u, err := url.Parse(strings.TrimSuffix(text, "/"))
	switch {
	case err != nil:
		return nil, errors.New("is not a URL, such as https://agents.example/api")
	case !hasValidPort(u):
		return nil, errors.New("must have a port from 1 to 65535, or none")
	case u.Hostname() == "":
		return nil, errors.New("must name a host")
	case u.User != nil:
		return nil, errors.New("must not contain user information, because credentials belong in the token")
	case u.RawQuery != "" || u.ForceQuery:
		return nil, errors.New("must not contain a query")
	case strings.Contains(text, "#"):
		return nil, errors.New("must not contain a fragment")
	case strings.HasSuffix(text, "//"):
		return nil, errors.New("must end in at most one slash")
	}
	// The path is escaped completely. If a single character were not, net/url would
	// escape the whole path again and turn an escaped slash of an ID into a path
	// separator.
	var escaped strings.Builder
	for _, c := range []byte(cmp.Or(u.RawPath, u.EscapedPath())) {
		if isPathByte(c) {
			escaped.WriteByte(c)
		} else {
			fmt.Fprintf(&escaped, "%%%02X", c)
		}
	}
	u.RawPath = escaped.String()
	return u, nil
}

// isPathByte reports whether an escaped path can contain a byte unchanged. This
// includes the percent sign, because url.Parse rejects one that does not begin
// an escape.
func isPathByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~!$&'()*+,;=:@/%", c) >= 0
}

// hasValidPort reports whether a URL has a valid port or none.
func hasValidPort(u *url.URL) bool {
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return u.Port() == "" || err == nil && port > 0
}

// IDError is an ID that cannot be sent as one segment of a path. Its text
// completes "The ID".
type IDError struct{ ID string }

func (e *IDError) Error() string {
	if e.ID == "" {
		return "must not be empty"
	}
	return fmt.Sprintf("%q is not a valid ID, because it has a special meaning in a URL path", e.ID)
}

// CheckID returns an *IDError for an ID that would refer to a different
// resource in a path. Escaping does not change dots, and servers and proxies
// resolve them.
func CheckID(id string) error {
	switch id {
	case "", ".", "..":
		return &IDError{id}
	}
	return nil
}

// joinPath escapes every segment, so that an ID remains one segment, whatever
// its characters. Its error is an *IDError.
func joinPath(segments ...string) (string, error) {
	var path []byte
	for _, segment := range segments {
		if err := CheckID(segment); err != nil {
			return "", err
		}
		path = append(append(path, '/'), url.PathEscape(segment)...)
	}
	return string(path), nil
}
