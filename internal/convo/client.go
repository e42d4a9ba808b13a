// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package convo is a thin client of the platform's HTTP/JSON API. It implements
// HTTP and the API's operations. When a request is sent is decided by package pacing.
package convo

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/convo/terraform-provider-convo/internal/pacing"
	"github.com/convo/terraform-provider-convo/internal/redact"
)

// Config configures a client.
type Config struct {
	// BaseURL is an absolute http or https URL that ends in the API prefix.
	BaseURL string
	// Token is the bearer token.
	Token string
	// TokenSource is where the token comes from, for messages.
	TokenSource string
	UserAgent   string
	// Headers are sent with every request, in addition to the client's own.
	Headers map[string]string
	// TLS is for https; nil means verification with the system's CA certificates.
	TLS *tls.Config

	// RequestTimeout limits one attempt, from dial to the last byte of the
	// response; 0 means 30 seconds.
	RequestTimeout time.Duration
	// MaxRetries is the maximum number of retries of a request that fails while other
	// requests succeed; nil means 4, and 0 disables all retries. For each of them, an outage
	// can last 10 seconds, and a rate limit 20, however many retries that takes.
	MaxRetries *int
	// MaxConcurrentRequests limits the number of requests in flight, and of
	// connections for reads and for updates; 0 means 16.
	MaxConcurrentRequests int
	// MaxRequestsPerSecond limits the rate of requests, including retries; 0 means
	// that only the service limits it.
	MaxRequestsPerSecond float64
	// RetryWait is the upper bound of the wait before the first retry, which
	// doubles with each further one; 0 means half a second.
	RetryWait time.Duration

	// StatsPeriodParameter is the undocumented query parameter for the period of statistics;
	// "" means "timeFilter".
	StatsPeriodParameter string
	// Log receives a message with fields about each attempt when it has ended, without
	// secrets, queries, and bodies. LogRetry receives it instead if the request waits for its
	// retry then. nil means no log.
	Log, LogRetry func(ctx context.Context, message string, fields ...map[string]any)
}

// Client sends the API's operations. It is safe for concurrent use and does not
// store responses.
type Client struct {
	config   Config // with defaults
	baseURL  *url.URL
	header   http.Header
	redactor *redact.Redactor
	proxy    *url.URL // or nil
	pacer    *pacing.Pacer
	reads    *http.Client
	// updates uses each connection once. If the service closed an idle connection
	// during an update, the client could not determine whether it took effect.
	updates *http.Client
}

// New returns a client for the given configuration, which uses the proxy of the
// environment. It sends nothing. It fails if the base URL or the proxy is invalid, or if the
// token is empty.
func New(config Config) (*Client, error) {
	baseURL, err := ParseBaseURL(config.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("the base URL %w", err)
	}
	if config.Token == "" {
		return nil, errors.New("the token must not be empty")
	}
	proxy, err := proxyFromEnvironment(baseURL)
	if err != nil {
		return nil, err
	}
	config.RequestTimeout = cmp.Or(config.RequestTimeout, 30*time.Second)
	config.MaxRetries = cmp.Or(config.MaxRetries, new(4))
	config.MaxConcurrentRequests = cmp.Or(config.MaxConcurrentRequests, 16)
	config.RetryWait = cmp.Or(config.RetryWait, 500*time.Millisecond)
	config.StatsPeriodParameter = cmp.Or(config.StatsPeriodParameter, "timeFilter")
	c := &Client{
		config:   config,
		baseURL:  baseURL,
		header:   http.Header{},
		redactor: redact.New(config.Token, config.Headers, proxy),
		proxy:    proxy,
		pacer: pacing.New(pacing.Config{
			MaxInFlight:  config.MaxConcurrentRequests,
			MaxPerSecond: config.MaxRequestsPerSecond,
			MaxRetries:   *config.MaxRetries,
			RetryWait:    config.RetryWait,
		}),
	}
	c.reads, c.updates = c.newHTTPClient(true), c.newHTTPClient(false)
	for name, value := range config.Headers {
		c.header.Add(name, value)
	}
	c.header.Set("Authorization", "Bearer "+config.Token)
	c.header.Set("Accept", "application/json")
	c.header.Set("User-Agent", c.clean(config.UserAgent))
	return c, nil
}

// MaxConcurrentRequests is the maximum number of requests in flight. Additional
// callers wait.
func (c *Client) MaxConcurrentRequests() int {
	return c.config.MaxConcurrentRequests
}
