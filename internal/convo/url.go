// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// CheckBaseURL says in its error, for the person who wrote the address, what
// is wrong with a base URL.
func CheckBaseURL(address string) error {
	scheme, _, _ := strings.Cut(strings.ToLower(address), "://")
	switch {
	case strings.TrimSpace(address) != address:
		return errors.New("must not begin or end with white space")
	case scheme != "http" && scheme != "https":
		return errors.New("must begin with https:// or http://")
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return errors.New("is not a URL, such as https://agents.example/api")
	case !validPort(u.Port()):
		return errors.New("must have a port from 1 to 65535, or none")
	case u.Hostname() == "":
		return errors.New("must name a host")
	case u.User != nil:
		return errors.New("must not contain user information: credentials belong into the token")
	case u.RawQuery != "" || u.ForceQuery:
		return errors.New("must not contain a query")
	case strings.Contains(address, "#"):
		return errors.New("must not contain a fragment")
	case strings.HasSuffix(u.Path, "//"):
		return errors.New("must end in at most one slash")
	}
	return nil
}

func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// IDError is an ID that cannot be sent as one segment of a path. Its text
// completes "The ID".
type IDError struct{ ID string }

func (e *IDError) Error() string {
	if e.ID == "" {
		return "must not be empty"
	}
	return fmt.Sprintf("%q cannot be sent as part of a path", e.ID)
}

// CheckID returns an *IDError for an ID that would lead to another resource
// when it is put into a path: escaping leaves dots alone, and servers and
// proxies resolve them.
func CheckID(id string) error {
	switch id {
	case "", ".", "..":
		return &IDError{id}
	}
	return nil
}

// joinPath escapes every segment, so that an ID stays one segment whatever
// characters it has. Its error is an *IDError.
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
