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

// checkProxy rejects the proxy for a base URL if it is not valid, because httpproxy
// would send the requests without it. The error names the variable. It does not
// contain the value, which can contain a password.
func checkProxy(proxies *httpproxy.Config, baseURL *url.URL) error {
	variable, proxy := "HTTP_PROXY", proxies.HTTPProxy
	if baseURL.Scheme == "https" {
		variable, proxy = "HTTPS_PROXY", proxies.HTTPSProxy
	}
	if proxy == "" || isProxyURL(proxy) || isExcluded(proxies.NoProxy, baseURL) {
		return nil
	}
	// For httpproxy, the variable in lowercase takes precedence.
	if lowercase := strings.ToLower(variable); os.Getenv(lowercase) != "" {
		variable = lowercase
	}
	return fmt.Errorf("the value of the environment variable %s must be the URL of a proxy, such as http://proxy.example:3128", variable)
}

// isProxyURL reports whether a text is the URL of a proxy that net/http supports.
func isProxyURL(text string) bool {
	u, err := parseProxy(text)
	return err == nil && u.Hostname() != "" && hasValidPort(u) && slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme)
}

// parseProxy parses the URL of a proxy. As for httpproxy, its scheme is optional.
func parseProxy(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	return url.Parse(text)
}

// isExcluded reports whether the value of NO_PROXY contains the host of a URL. A
// proxy is never used for a loopback address.
func isExcluded(noProxy string, u *url.URL) bool {
	const anyProxy = "http://proxy.example"
	proxies := httpproxy.Config{HTTPProxy: anyProxy, HTTPSProxy: anyProxy, NoProxy: noProxy}
	proxy, err := proxies.ProxyFunc()(u)
	return proxy == nil && err == nil
}
