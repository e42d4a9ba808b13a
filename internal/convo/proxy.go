// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// proxyFromEnvironment returns the proxy for a URL, or nil for a direct connection.
// Unlike http.ProxyFromEnvironment, it reads the environment of each client, and
// fails if the variable is invalid, instead of connecting directly. Its errors do not
// quote the variable, which can contain a password.
func proxyFromEnvironment(target *url.URL) (*url.URL, error) {
	config := httpproxy.FromEnvironment()
	value := config.HTTPProxy
	if target.Scheme == "https" {
		value = config.HTTPSProxy
	}
	if value != "" && !isProxyURL(value) {
		return nil, fmt.Errorf("the environment variable %s must be the URL of an HTTP or SOCKS5 proxy, such as http://proxy.example:8080. "+
			"If it contains a user name or a password, percent-encode their special characters", proxyVariable(target))
	}
	return config.ProxyFunc()(target)
}

// proxyVariable returns the name of the environment variable that sets the proxy for a
// URL, which can also be in lower case.
func proxyVariable(target *url.URL) string {
	return strings.ToUpper(target.Scheme) + "_PROXY"
}

// isProxyURL reports whether a text names a proxy, and nothing else. If a password contains
// an unescaped slash, for example, what follows is parsed as a path.
func isProxyURL(text string) bool {
	config := httpproxy.Config{HTTPProxy: text}
	proxy, err := config.ProxyFunc()(&url.URL{Scheme: "http", Host: "any.example"})
	if err != nil || proxy == nil || proxy.Hostname() == "" {
		return false
	}
	return strings.Trim(proxy.Path, "/") == "" && !strings.ContainsAny(text, "?#")
}
