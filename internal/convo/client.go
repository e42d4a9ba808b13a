// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package convo is a thin client of the platform's HTTP/JSON interface. It
// knows HTTP and the interface's six operations and returns the answers of
// reads as JSON text: what the fields mean to Terraform is decided elsewhere.
package convo

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// Config says where the service is and how to talk to it. A zero value of an
// optional field stands for the default that its comment names.
type Config struct {
	// BaseURL is the absolute http or https address that ends in the API
	// prefix (interface, "Endpoints"). One trailing slash is ignored.
	BaseURL string
	// Token is the bearer token (interface, "Authentication").
	Token string
	// UserAgent is sent with every request.
	UserAgent string
	// Headers are sent with every request besides the client's own.
	Headers map[string]string
	// TLS is used for https; nil means the system's roots and verification.
	TLS *tls.Config
	// RequestTimeout bounds one attempt, from dial to the last byte of the
	// answer; 0 means DefaultRequestTimeout.
	RequestTimeout time.Duration
	// MaxRetries is how often a request may be repeated after its first
	// attempt. Zero means never.
	MaxRetries int
	// MaxConcurrentRequests bounds the requests in flight at once; 0 means
	// DefaultMaxConcurrentRequests.
	MaxConcurrentRequests int
	// MaxRequestsPerSecond caps the pace of requests, retries included; 0 means
	// that only the service's own limits do.
	MaxRequestsPerSecond float64
	// RetryWait is the upper bound of the wait before the first retry, which
	// doubles with each further one; 0 means DefaultRetryWait.
	RetryWait time.Duration
	// StatsPeriodParameter is the query parameter that carries the period of
	// statistics; "" means DefaultStatsPeriodParameter.
	StatsPeriodParameter string
	// SessionAgentParameter is the body key that names a session's new agent;
	// "" means DefaultSessionAgentParameter.
	SessionAgentParameter string
}

// Defaults of Config's optional fields. The last two names are open in the
// interface, which is why they can be configured at all.
const (
	DefaultRequestTimeout        = 30 * time.Second
	DefaultMaxRetries            = 4
	DefaultMaxConcurrentRequests = 16
	DefaultRetryWait             = 500 * time.Millisecond
	DefaultStatsPeriodParameter  = "timeFilter"
	DefaultSessionAgentParameter = "agentId"
)

// Client sends the interface's operations. It is safe for concurrent use and
// keeps no answer.
type Client struct {
	http                  *http.Client
	baseURL               string
	header                http.Header
	secrets               secrets
	requestTimeout        time.Duration
	retry                 retryPolicy
	limiter               *limiter
	statsPeriodParameter  string
	sessionAgentParameter string
}

// New returns a client for the given configuration. It touches no network; it
// fails when the base URL cannot be used or the token is empty.
func New(config Config) (*Client, error) {
	if err := CheckBaseURL(config.BaseURL); err != nil {
		return nil, fmt.Errorf("base URL: %w", err)
	}
	if config.Token == "" {
		return nil, errors.New("token: must not be empty")
	}
	concurrency := cmp.Or(config.MaxConcurrentRequests, DefaultMaxConcurrentRequests)
	retryWait := cmp.Or(config.RetryWait, DefaultRetryWait)

	header := http.Header{}
	secret := secrets{config.Token}
	for name, value := range config.Headers {
		header.Set(name, value)
		secret = append(secret, value)
	}
	header.Set("Authorization", "Bearer "+config.Token)
	header.Set("Accept", "application/json")
	header.Set("User-Agent", config.UserAgent)

	return &Client{
		http: &http.Client{
			Transport:     newTransport(config.TLS, concurrency),
			CheckRedirect: checkRedirect,
		},
		baseURL:               strings.TrimSuffix(config.BaseURL, "/"),
		header:                header,
		secrets:               secret.withoutTrivial(),
		requestTimeout:        cmp.Or(config.RequestTimeout, DefaultRequestTimeout),
		retry:                 retryPolicy{max: config.MaxRetries, wait: retryWait},
		limiter:               newLimiter(concurrency, config.MaxRequestsPerSecond, retryWait),
		statsPeriodParameter:  cmp.Or(config.StatsPeriodParameter, DefaultStatsPeriodParameter),
		sessionAgentParameter: cmp.Or(config.SessionAgentParameter, DefaultSessionAgentParameter),
	}, nil
}

// MaxConcurrentRequests is how many requests may be in flight at once: more
// callers than that only wait.
func (c *Client) MaxConcurrentRequests() int { return c.limiter.learned.most }

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

// CheckID refuses an id that would address another resource when it is put
// into a path: escaping leaves dots alone, and servers and proxies resolve
// them.
func CheckID(id string) error {
	switch id {
	case "":
		return errors.New("must not be empty")
	case ".", "..":
		return fmt.Errorf("%q cannot be sent as part of a path", id)
	}
	return nil
}

// newTransport clones Go's default transport, so that its dial and handshake
// limits hold, and keeps as many idle connections as there can be requests:
// the default of two per host makes most requests of a fan-out dial anew.
func newTransport(config *tls.Config, concurrency int) *http.Transport {
	transport := &http.Transport{}
	if base, ok := http.DefaultTransport.(*http.Transport); ok {
		transport = base.Clone()
	}
	// Cloned, because the transport adds to it: several clients may share one.
	transport.TLSClientConfig = config.Clone()
	transport.MaxIdleConns = concurrency
	transport.MaxIdleConnsPerHost = concurrency
	// Read once per client: http.ProxyFromEnvironment would keep the
	// environment of the process's first request for all of them.
	proxy := httpproxy.FromEnvironment().ProxyFunc()
	transport.Proxy = func(r *http.Request) (*url.URL, error) { return proxy(r.URL) }
	return transport
}

// maxRedirects is how many redirects in a row are followed.
const maxRedirects = 5

// checkRedirect follows a redirect only within the origin and without change
// of method: another host must not receive the token, and a POST that turns
// into a GET would report success without having updated anything.
func checkRedirect(next *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case !sameOrigin(next.URL, first.URL):
		return &redirectError{fmt.Sprintf("the service redirects to %s://%s, which is not followed: "+
			"the token is for the configured host only", next.URL.Scheme, next.URL.Host)}
	case next.Method != first.Method:
		return &redirectError{fmt.Sprintf("the service redirects a %s to a %s, which is not followed",
			first.Method, next.Method)}
	case len(via) > maxRedirects:
		return &redirectError{fmt.Sprintf("the service redirects more than %d times in a row", maxRedirects)}
	}
	return nil
}

// sameOrigin compares scheme, host and port. The default port may be written
// or left out.
func sameOrigin(a, b *url.URL) bool {
	port := func(u *url.URL) string {
		return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	}
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}
