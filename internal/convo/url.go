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

// normalize returns a base URL without its trailing slash and fully escaped. If
// a single character were not escaped, net/url would escape the whole path
// again and turn an escaped slash of an ID into a path separator.
func normalize(baseURL string) (string, error) {
	u, err := url.Parse(baseURL)
	switch {
	case err != nil:
		return "", errors.New("is not a URL") // The error quotes it, and it can contain a password.
	case u.Scheme != "http" && u.Scheme != "https":
		return "", errors.New("must begin with https:// or http://")
	case u.Hostname() == "" || !validPort(u.Port()):
		return "", errors.New("must have a host, and a valid port or none")
	case u.User != nil || u.RawQuery != "" || strings.ContainsAny(baseURL, "?#"):
		return "", errors.New("must not contain user information, a query, or a fragment")
	}
	_, rest, _ := strings.Cut(baseURL, "://")
	host, path, found := strings.Cut(strings.TrimSuffix(rest, "/"), "/")
	var b strings.Builder
	b.WriteString(u.Scheme + "://" + host)
	if found {
		b.WriteByte('/')
	}
	for i := range len(path) {
		if c := path[i]; isPathByte(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String(), nil
}

// isPathByte reports whether an escaped path can contain a byte unchanged. This
// includes the percent sign, because url.Parse rejects one that does not begin
// an escape.
func isPathByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~!$&'()*+,;=:@/%", c) >= 0
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
