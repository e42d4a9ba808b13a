// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package convo is a thin client of the platform's HTTP/JSON API. It implements
// HTTP and the API's operations and returns responses as JSON text. It does not
// interpret the fields. When a request is sent is decided by package pacing.
package convo

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/convo/terraform-provider-convo/internal/pacing"
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
	// Log receives an entry for each attempt and wait, without secrets; nil means
	// no log.
	Log func(ctx context.Context, message string, fields map[string]any)
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
	config     Config // with defaults
	baseURL    string
	header     http.Header
	secrets    secrets
	transports *transports
	pacer      *pacing.Pacer
}

// New returns a client for the given configuration, which uses the proxies of the
// environment. It sends nothing. It fails if the base URL or the proxy for it is
// invalid, or if the token is empty.
func New(config Config) (*Client, error) {
	baseURL, err := ParseBaseURL(config.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("the base URL %w", err)
	}
	if config.Token == "" {
		return nil, errors.New("the token must not be empty")
	}
	// The environment is read once per client, because http.ProxyFromEnvironment
	// keeps the environment of the process's first request.
	proxies := httpproxy.FromEnvironment()
	if err := checkProxy(proxies, baseURL); err != nil {
		return nil, err
	}
	config.RequestTimeout = cmp.Or(config.RequestTimeout, DefaultRequestTimeout)
	config.MaxConcurrentRequests = cmp.Or(config.MaxConcurrentRequests, DefaultMaxConcurrentRequests)
	config.RetryWait = cmp.Or(config.RetryWait, DefaultRetryWait)
	config.StatsPeriodParameter = cmp.Or(config.StatsPeriodParameter, DefaultStatsPeriodParameter)
	config.SessionAgentParameter = cmp.Or(config.SessionAgentParameter, DefaultSessionAgentParameter)
	if config.Log == nil {
		config.Log = func(context.Context, string, map[string]any) {}
	}

	header := http.Header{}
	for name, value := range config.Headers {
		header.Add(name, value)
	}
	header.Set("Authorization", "Bearer "+config.Token)
	header.Set("Accept", "application/json")
	header.Set("User-Agent", config.UserAgent)

	return &Client{
		config:     config,
		baseURL:    baseURL.String(),
		header:     header,
		secrets:    newSecrets(config, proxies),
		transports: &transports{config: config, proxy: proxies.ProxyFunc()},
		pacer: pacing.New(pacing.Config{
			MaxInFlight:  config.MaxConcurrentRequests,
			MaxPerSecond: config.MaxRequestsPerSecond,
			MaxRetries:   config.MaxRetries,
			RetryWait:    config.RetryWait,
		}),
	}, nil
}

// MaxConcurrentRequests is the maximum number of requests in flight. Additional
// callers wait.
func (c *Client) MaxConcurrentRequests() int { return c.config.MaxConcurrentRequests }
