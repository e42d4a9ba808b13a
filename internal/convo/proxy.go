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

// proxy is a proxy, or the zero value for a direct connection.
type proxy struct {
	url      *url.URL
	variable string // the environment variable that sets it
}

// proxyFromEnvironment returns the proxy for a URL.
// Unlike http.ProxyFromEnvironment, it reads the environment of each client, and
// fails if the variable is invalid. Its errors do not quote the variable, which can
// contain a password.
func proxyFromEnvironment(target *url.URL) (proxy, error) {
	config := httpproxy.FromEnvironment()
	variable, value := "http_proxy", &config.HTTPProxy
	if target.Scheme == "https" {
		variable, value = "https_proxy", &config.HTTPSProxy
	}
	if os.Getenv(variable) == "" {
		variable = strings.ToUpper(variable)
	}
	found, err := config.ProxyFunc()(target)
	if err != nil || *value == "" {
		return proxy{}, err
	}
	// httpproxy ignores an invalid value, which results in a direct connection. If a valid
	// value has the same result, NO_PROXY excludes the URL, and the value does not matter.
	*value = "proxy.example"
	if valid, err := config.ProxyFunc()(target); valid == nil {
		return proxy{}, err
	}
	if found == nil || !isProxyURL(found) {
		return proxy{}, fmt.Errorf("the environment variable %s must be the URL of an HTTP or SOCKS5 proxy, such as http://proxy.example:8080. "+
			"If it contains a user name or a password, percent-encode their special characters", variable)
	}
	return proxy{found, variable}, nil
}

// isProxyURL reports whether a URL consists of a scheme, a host, and optional
// credentials. If a password contains an unescaped slash, for example, what follows is
// parsed as a path.
func isProxyURL(u *url.URL) bool {
	origin := url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}
	return slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) && u.Hostname() != "" &&
		strings.TrimSuffix(u.String(), "/") == origin.String()
}
