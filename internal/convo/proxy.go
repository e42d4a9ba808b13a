// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// proxyFromEnvironment returns the proxy for a URL, or nil for a direct connection.
// Unlike http.ProxyFromEnvironment, it reads the environment of each client, and
// fails if the variable is invalid. Its errors do not quote the variable, which can
// contain a password.
func proxyFromEnvironment(target *url.URL) (*url.URL, error) {
	config := httpproxy.FromEnvironment()
	value := &config.HTTPProxy
	if target.Scheme == "https" {
		value = &config.HTTPSProxy
	}
	found, err := config.ProxyFunc()(target)
	if *value == "" {
		return found, err
	}
	// httpproxy ignores an invalid value, which results in a direct connection. If a valid
	// value has the same result, NO_PROXY excludes the URL, and the value does not matter.
	*value = "proxy.example"
	if valid, err := config.ProxyFunc()(target); valid == nil {
		return nil, err
	}
	if found == nil || !isProxyURL(found) {
		return nil, fmt.Errorf("the environment variable %s must be the URL of an HTTP or SOCKS5 proxy, such as http://proxy.example:8080. "+
			"If it contains a user name or a password, percent-encode their special characters", proxyVariable(target.Scheme))
	}
	return found, nil
}

// proxyVariable returns the name of the environment variable that sets the proxy for a
// scheme. Names in capitals take precedence.
func proxyVariable(scheme string) string {
	if name := strings.ToUpper(scheme) + "_PROXY"; os.Getenv(name) != "" {
		return name
	}
	return scheme + "_proxy"
}

// isProxyURL reports whether a URL consists of a scheme, a host, and optional
// credentials. If a password contains an unescaped slash, for example, what follows is
// parsed as a path.
func isProxyURL(u *url.URL) bool {
	origin := url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}
	return slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) && u.Hostname() != "" &&
		strings.TrimSuffix(u.String(), "/") == origin.String()
}
