// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"errors"
	"net/url"
	"strings"
)

// ParseBaseURL parses a base URL, and removes trailing slashes. Errors complete the sentence
// "The value ..." and do not quote the text, because it can contain a password, or be a token.
func ParseBaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(text, "/"))
	switch {
	case strings.TrimSpace(text) != text:
		return nil, errors.New("must not begin or end with whitespace, such as a line break. Remove it")
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, errors.New("must be an absolute https or http URL, such as https://agents.example/api")
	case u.User != nil, strings.ContainsAny(text, "?#"):
		return nil, errors.New("must not contain user information, a query, or a fragment. Remove them")
	case strings.HasSuffix(u.Path, "/v1"):
		return nil, errors.New("must not end in /v1, because the provider appends it. Remove /v1 from the end")
	}
	return u, nil
}

// joinPath returns a path of the API. It escapes every segment, so that an ID remains one
// segment, whatever its characters. It returns "" for an ID that would refer to a different
// resource: escaping does not change dots, and servers and proxies resolve them.
func joinPath(segments ...string) string {
	path := "/v1"
	for _, segment := range segments {
		if segment == "" || segment == "." || segment == ".." {
			return ""
		}
		path += "/" + url.PathEscape(segment)
	}
	return path
}
