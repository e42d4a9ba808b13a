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

// ParseBaseURL parses a base URL (specification, "Endpoints"), and removes
// trailing slashes. Errors complete the sentence "The value ..." and do not quote
// the URL, which can contain a password.
func ParseBaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(text, "/"))
	switch {
	case strings.TrimSpace(text) != text:
		return nil, errors.New("must not begin or end with whitespace")
	case err != nil:
		return nil, errors.New("is not a URL, such as https://agents.example/api")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("must begin with https:// or http://")
	case u.Hostname() == "":
		return nil, errors.New("must name a host")
	case u.User != nil:
		return nil, errors.New("must not contain user information, because credentials belong in the token")
	case u.RawQuery != "" || u.ForceQuery:
		return nil, errors.New("must not contain a query")
	case strings.Contains(text, "#"):
		return nil, errors.New("must not contain a fragment")
	}
	if port, err := strconv.ParseUint(cmp.Or(u.Port(), "443"), 10, 16); err != nil || port == 0 {
		return nil, errors.New("must have a port from 1 to 65535")
	}
	return u, nil
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
	path := ""
	for _, segment := range segments {
		if err := CheckID(segment); err != nil {
			return "", err
		}
		path += "/" + url.PathEscape(segment)
	}
	return path, nil
}
