// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"golang.org/x/net/http/httpguts"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// Bounds of the provider's arguments and environment variables.
const (
	minTimeout, maxTimeout         = time.Millisecond, 24 * time.Hour
	minRetries, maxRetries         = 0, 20
	minConcurrency, maxConcurrency = 1, 256
	minRate, maxRate               = 0.001, 10_000
)

var (
	headerName   = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	visibleASCII = regexp.MustCompile(`^[!-~]+$`)

	// reservedHeaders are set by the provider itself, or apply to a single
	// connection.
	reservedHeaders = []string{
		"Authorization", "Accept", "Accept-Encoding", "Content-Length", "Content-Type", "Host", "Transfer-Encoding", "User-Agent",
		"Connection", "Expect", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Upgrade",
	}
)

// validID rejects an ID that cannot be sent as part of a URL.
func validID() validator.String {
	return checked("an ID that can be a segment of a path", convo.CheckID)
}

func checkBaseURL(text string) error {
	_, err := convo.ParseBaseURL(text)
	return err
}

func checkToken(token string) error {
	if !visibleASCII.MatchString(token) {
		return errors.New("must not be empty, and must consist of visible ASCII characters. Remove whitespace and invisible characters, such as the line break at the " +
			"end of a file, for example with trimspace(file(...)). Also remove the word Bearer, which the provider adds")
	}
	return nil
}

func checkTimeout(text string) error {
	if duration, err := time.ParseDuration(text); err != nil || duration < minTimeout || duration > maxTimeout {
		return errors.New("must be a duration from 1ms to 24h with a unit, such as 30s or 1m30s")
	}
	return nil
}

func checkHeaderValue(value string) error {
	if value == "" || strings.TrimSpace(value) != value || !httpguts.ValidHeaderFieldValue(value) {
		return errors.New("must not be empty, begin or end with whitespace, or contain control characters")
	}
	return nil
}

// checked returns a validator that calls a function, whose error completes the
// sentence "The value ...". Unlike the framework's validators, it does not quote
// the value, which can be a secret.
func checked(description string, check func(string) error) validator.String {
	return checkedString{description, check}
}

type checkedString struct {
	description string
	check       func(string) error
}

func (v checkedString) Description(context.Context) string             { return "must be " + v.description }
func (v checkedString) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v checkedString) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := v.check(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, invalidValue(req.Path.String()), "The value "+err.Error()+".")
	}
}

// invalidValue is the summary of an error about the value of an argument or an
// environment variable.
func invalidValue(name string) string { return "Invalid value for " + name }
