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

// CheckBaseURL returns an error for users if a base URL is invalid.
func CheckBaseURL(baseURL string) error {
	scheme, _, _ := strings.Cut(strings.ToLower(baseURL), "://")
	switch {
	case strings.TrimSpace(baseURL) != baseURL:
		return errors.New("must not begin or end with whitespace")
	case scheme != "http" && scheme != "https":
		return errors.New("must begin with https:// or http://")
	}
	u, err := url.Parse(baseURL)
	switch {
	case err != nil:
		return errors.New("is not a URL, such as https://agents.example/api")
	case !validPort(u.Port()):
		return errors.New("must have a port from 1 to 65535, or none")
	case u.Hostname() == "":
		return errors.New("must name a host")
	case u.User != nil:
		return errors.New("must not contain user information, because credentials belong in the token")
	case u.RawQuery != "" || u.ForceQuery:
		return errors.New("must not contain a query")
	case strings.Contains(baseURL, "#"):
		return errors.New("must not contain a fragment")
	case strings.HasSuffix(u.Path, "//"):
		return errors.New("must end in at most one slash")
	case strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/v1"):
		return errors.New("must not end in /v1, because the provider appends it. Remove /v1 from the end")
	}
	return nil
}

// normalize returns a base URL without its trailing slash and fully escaped. If
// a single character were not escaped, net/url would escape the whole path
// again and turn an escaped slash of an ID into a path separator.
func normalize(baseURL string) string {
	var b strings.Builder
	scheme, rest, _ := strings.Cut(strings.TrimSuffix(baseURL, "/"), "://")
	host, path, found := strings.Cut(rest, "/")
	b.WriteString(scheme + "://" + host)
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
	return b.String()
}

// isPathByte reports whether an escaped path can contain a byte unchanged. This
// includes the percent sign, because CheckBaseURL rejects one that does not
// begin an escape.
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
