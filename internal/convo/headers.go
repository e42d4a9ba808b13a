// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// CheckHeader returns an error for users if an additional header of that name
// cannot be sent, or would not reach the service unchanged.
func CheckHeader(name string) error {
	if !httpguts.ValidHeaderFieldName(name) {
		return errors.New("must have a name of letters, digits, and hyphens")
	}
	lower := strings.ToLower(name)
	switch lower {
	case "authorization":
		return fmt.Errorf("%s cannot be set, because the provider sends the token in it. Remove it from the headers argument", name)
	case "accept", "accept-encoding", "content-length", "content-type", "host", "transfer-encoding", "user-agent":
		return fmt.Errorf("%s cannot be set, because the provider sets it. Remove it from the headers argument", name)
	case "connection", "expect", "http2-settings", "keep-alive", "te", "trailer", "upgrade":
		return fmt.Errorf("%s cannot be set, because it applies to a single connection and does not reach the service. Remove it from the headers argument", name)
	}
	if strings.HasPrefix(lower, "proxy-") && !RequiresTLS(name) {
		return fmt.Errorf("%s cannot be set, because it is for a proxy. Put the proxy's credentials in the URL in HTTPS_PROXY or HTTP_PROXY", name)
	}
	return nil
}

// RequiresTLS reports whether an extra header reaches the service over https
// only. Gateways such as Google's Identity-Aware Proxy take their own token from
// Proxy-Authorization; over http, a proxy on the way would take it.
func RequiresTLS(name string) bool { return strings.EqualFold(name, "Proxy-Authorization") }
