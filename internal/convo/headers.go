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
	if strings.HasPrefix(lower, "proxy-") {
		return fmt.Errorf("must not be %s: it is for a proxy, whose credentials belong in the URL in HTTPS_PROXY or HTTP_PROXY", name)
	}
	return nil
}
