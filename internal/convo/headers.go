// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// CheckHeader says in its error, for the person who wrote it, why an extra
// header of that name cannot be sent, or would not arrive as it is given.
func CheckHeader(name string) error {
	if !httpguts.ValidHeaderFieldName(name) {
		return errors.New("must be the name of a header: letters, digits and hyphens")
	}
	lower := strings.ToLower(name)
	switch lower {
	case "authorization":
		return errors.New("must not be Authorization: the provider sends its token there")
	case "accept", "accept-encoding", "content-length", "content-type", "host", "transfer-encoding", "user-agent":
		return fmt.Errorf("must not be %s: the provider sets it itself", name)
	case "connection", "expect", "http2-settings", "keep-alive", "te", "trailer", "upgrade":
		return fmt.Errorf("must not be %s: it concerns the connection and is not passed on to the service", name)
	}
	if strings.HasPrefix(lower, "proxy-") && !RequiresTLS(name) {
		return fmt.Errorf("must not be %s: it is for a proxy, whose credentials belong in the URL in HTTPS_PROXY or HTTP_PROXY", name)
	}
	return nil
}

// RequiresTLS reports whether an extra header reaches the service over https
// only. Gateways such as Google's Identity-Aware Proxy take their own token from
// Proxy-Authorization; over http, a proxy on the way would take it.
func RequiresTLS(name string) bool { return strings.EqualFold(name, "Proxy-Authorization") }
