// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package convo is a thin client of the platform's HTTP/JSON API. It knows
// HTTP and the API's operations and returns responses as JSON text: what the
// fields mean to Terraform is decided elsewhere.
package convo

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// Config says where the service is and how to talk to it. A zero value of an
// optional field stands for the default that its comment names.
type Config struct {
	// BaseURL is the absolute http or https URL that ends in the API prefix
	// (specification, "Endpoints"). One trailing slash is ignored.
	BaseURL string
	// Token is the bearer token (specification, "Authentication").
	Token string
	// UserAgent is sent with every request.
	UserAgent string
	// Headers are sent with every request besides the client's own.
	Headers map[string]string
	// TLS is used for https; nil means the system's roots and verification.
	TLS *tls.Config
	// RequestTimeout bounds one attempt, from dial to the last byte of the
	// response; 0 means DefaultRequestTimeout.
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

// Defaults of Config's optional fields. The API does not document the last two
// names, which is why they can be configured at all.
const (
	DefaultRequestTimeout        = 30 * time.Second
	DefaultMaxRetries            = 4
	DefaultMaxConcurrentRequests = 16
	DefaultRetryWait             = 500 * time.Millisecond
	DefaultStatsPeriodParameter  = "timeFilter"
	DefaultSessionAgentParameter = "agentId"
)

// Client sends the API's operations. It is safe for concurrent use and keeps
// no response.
type Client struct {
	connections           *connections
	baseURL               string
	header                http.Header
	secrets               secrets
	requestTimeout        time.Duration
	spoken                atomic.Bool // the service has sent a response before
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
	timeout := cmp.Or(config.RequestTimeout, DefaultRequestTimeout)
	// Read once per client: http.ProxyFromEnvironment would keep the
	// environment of the process's first request for all of them.
	proxies := httpproxy.FromEnvironment()
	retryWait := cmp.Or(config.RetryWait, DefaultRetryWait)

	header := http.Header{}
	hidden := append(proxySecrets(proxies), config.Token)
	for name, value := range config.Headers {
		header.Set(name, value)
		hidden = append(hidden, value)
	}
	header.Set("Authorization", "Bearer "+config.Token)
	header.Set("Accept", "application/json")
	header.Set("User-Agent", config.UserAgent)

	return &Client{
		connections: &connections{
			tls: config.TLS, proxy: proxies.ProxyFunc(), timeout: timeout, concurrency: concurrency,
			dial: (&net.Dialer{Timeout: timeout + spare}).DialContext,
		},
		baseURL:               normalize(config.BaseURL),
		header:                header,
		secrets:               newSecrets(hidden...),
		requestTimeout:        timeout,
		retry:                 retryPolicy{max: config.MaxRetries, wait: retryWait},
		limiter:               newLimiter(concurrency, config.MaxRequestsPerSecond, retryWait),
		statsPeriodParameter:  cmp.Or(config.StatsPeriodParameter, DefaultStatsPeriodParameter),
		sessionAgentParameter: cmp.Or(config.SessionAgentParameter, DefaultSessionAgentParameter),
	}, nil
}

// MaxConcurrentRequests is how many requests may be in flight at once: more
// callers than that only wait.
func (c *Client) MaxConcurrentRequests() int { return c.limiter.learned.most }
