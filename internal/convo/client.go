// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package convo is a thin client of the platform's HTTP/JSON API. It implements
// HTTP and the API's operations and returns responses as JSON text. It does not
// depend on Terraform, and does not interpret the fields.
package convo

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// Config configures a client. The zero value of an optional field selects the
// default in its comment.
type Config struct {
	// BaseURL is the absolute http or https URL that ends in the API prefix
	// (specification, "Endpoints"). One trailing slash is ignored.
	BaseURL string
	// Token is the bearer token (specification, "Authentication").
	Token string
	// UserAgent is sent with every request.
	UserAgent string
	// Headers are sent with every request, in addition to the client's own.
	Headers map[string]string
	// TLS is used for https; nil means verification with the system's CA
	// certificates.
	TLS *tls.Config
	// RequestTimeout limits one attempt, from dial to the last byte of the
	// response; 0 means DefaultRequestTimeout.
	RequestTimeout time.Duration
	// MaxRetries is the maximum number of retries after a request's first attempt.
	// 0 disables retries.
	MaxRetries int
	// MaxConcurrentRequests limits the number of requests in flight; 0 means
	// DefaultMaxConcurrentRequests.
	MaxConcurrentRequests int
	// MaxRequestsPerSecond limits the rate of requests, including retries; 0 means
	// that only the service limits it.
	MaxRequestsPerSecond float64
	// RetryWait is the upper bound of the wait before the first retry, which
	// doubles with each further one; 0 means DefaultRetryWait.
	RetryWait time.Duration
	// StatsPeriodParameter is the query parameter for the period of statistics; ""
	// means DefaultStatsPeriodParameter.
	StatsPeriodParameter string
	// SessionAgentParameter is the body key for the ID of a session's new agent;
	// "" means DefaultSessionAgentParameter.
	SessionAgentParameter string
}

// Defaults of Config's optional fields. The last two are configurable because
// the API does not document these names.
const (
	DefaultRequestTimeout        = 30 * time.Second
	DefaultMaxRetries            = 4
	DefaultMaxConcurrentRequests = 16
	DefaultRetryWait             = 500 * time.Millisecond
	DefaultStatsPeriodParameter  = "timeFilter"
	DefaultSessionAgentParameter = "agentId"
)

// Client sends the API's operations. It is safe for concurrent use and does not
// store responses.
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

// New returns a client for the given configuration. It sends nothing. It fails
// if the base URL is invalid or the token is empty.
func New(config Config) (*Client, error) {
	if err := CheckBaseURL(config.BaseURL); err != nil {
		return nil, fmt.Errorf("base URL: %w", err)
	}
	if config.Token == "" {
		return nil, errors.New("token: must not be empty")
	}
	concurrency := cmp.Or(config.MaxConcurrentRequests, DefaultMaxConcurrentRequests)
	timeout := cmp.Or(config.RequestTimeout, DefaultRequestTimeout)
	// The environment is read once per client, because http.ProxyFromEnvironment
	// keeps the environment of the process's first request.
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
			dial: newDialer(timeout).DialContext,
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

// MaxConcurrentRequests is the maximum number of requests in flight. Additional
// callers wait.
func (c *Client) MaxConcurrentRequests() int { return c.limiter.most }
