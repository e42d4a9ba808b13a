// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// Bounds of the provider's numbers.
const (
	minRetries, maxRetries         = 0, 20
	minConcurrency, maxConcurrency = 1, 256
	minRate, maxRate               = 0.001, 10_000
)

var (
	// visibleASCII matches visible ASCII characters without a quote in front.
	visibleASCII = regexp.MustCompile(`^[!#-&(-~][!-~]*$`)
	headerName   = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	// trimmed matches a text on one line that neither begins nor ends with whitespace.
	trimmed = regexp.MustCompile(`^[^\pZ\p{Cc}]([^\p{Cc}]*[^\pZ\p{Cc}])?$`)
	// reservedHeader matches a header that the provider or HTTP sets.
	reservedHeader = regexp.MustCompile(`(?i)^(Accept|Accept-Encoding|Authorization|Connection|Content-Length|Content-Type|Host|` +
		`Transfer-Encoding|User-Agent)$`)
)

// checkID rejects what cannot be an ID, such as a URL.
func checkID(text string) error {
	if strings.Contains(text, ":/") {
		return errors.New("must be an ID, not a URL")
	}
	return checkText(text)
}

func checkBaseURL(text string) error {
	_, err := convo.ParseBaseURL(text)
	return err
}

func checkToken(token string) error {
	if !visibleASCII.MatchString(token) {
		return errors.New("must not be empty, and must consist of visible ASCII characters. Remove quotes, whitespace, and invisible characters, such as the line break at the " +
			"end of a file, for example with trimspace(file(...)). Also remove the word Bearer, which the provider adds")
	}
	return nil
}

func checkTimeout(text string) error {
	if duration, err := time.ParseDuration(text); err != nil || duration < time.Millisecond || duration > 24*time.Hour {
		return fmt.Errorf("must be a duration from 1ms to 24h with a unit, such as 30s or 1m30s, not %q", text)
	}
	return nil
}

func checkHeader(name string) error {
	if reservedHeader.MatchString(name) {
		return errors.New("must not be set, because the provider or HTTP sets this header. Remove it. For Authorization, set token instead")
	}
	return nil
}

// checkText rejects what can be neither an ID nor the value of a header.
func checkText(text string) error {
	if !trimmed.MatchString(text) {
		return errors.New("must not be empty, begin or end with whitespace, or contain line breaks or other control characters")
	}
	return nil
}

// described has the description of a validator, which the framework requires and no one
// reads.
type described struct{}

func (described) Description(context.Context) string         { return "value must be valid" }
func (described) MarkdownDescription(context.Context) string { return "value must be valid" }

// stringCheck validates a string with a function, whose error completes the sentence "The
// value ...". Unlike the framework's validators, it does not quote the value, which can
// be a secret.
type stringCheck struct {
	described
	check func(string) error
}

func checkFunc(check func(string) error) validator.String { return stringCheck{check: check} }

func (s stringCheck) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := s.check(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, invalidValue(req.Path.String()), fmt.Sprintf("The value %s.", err))
	}
}

// invalidValue is the summary of an error about the value of an argument or an
// environment variable.
func invalidValue(name string) string { return "Invalid value for " + name }
