// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"golang.org/x/net/http/httpguts"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// Bounds of the provider's arguments and environment variables.
const (
	minTimeout, maxTimeout                             = time.Millisecond, 24 * time.Hour
	minRetries, maxRetries                       int64 = 0, 20
	minConcurrentRequests, maxConcurrentRequests int64 = 1, 256
	minRequestsPerSecond, maxRequestsPerSecond         = 0.001, 10_000.0
)

var (
	headerName   = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	visibleASCII = regexp.MustCompile(`^[!-~]+$`)

	// reservedHeaders are set by the provider itself, or apply to a single
	// connection.
	reservedHeaders = []string{
		"Accept", "Accept-Encoding", "Content-Length", "Content-Type", "Host", "Transfer-Encoding", "User-Agent",
		"Connection", "Expect", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Upgrade",
	}
)

// validID rejects an ID that cannot be sent as part of a URL.
func validID() validator.String {
	return validString("an ID that can be a segment of a path", func(id string) error {
		switch err := convo.CheckID(id); {
		case err != nil:
			return fmt.Errorf("%w. Enter the ID that the service uses", err)
		case strings.TrimSpace(id) != id, strings.ContainsFunc(id, unicode.IsControl):
			return errors.New("must not begin or end with whitespace, or contain line breaks or other control characters. Remove them, for " +
				"example with trimspace(file(...))")
		case strings.Contains(id, "://"):
			return errors.New("must not be a URL. Enter only the ID that the service uses")
		}
		return nil
	})
}

// validQuery rejects query parameters without a name or a value, which can be empty.
func validQuery() []validator.Map {
	return validMap(checkParameterName, func(string) error { return nil })
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
		return fmt.Errorf("must be a duration from 1ms to 24h with a unit, such as 30s or 1m30s, not %q", text)
	}
	return nil
}

func checkParameterName(name string) error {
	if name == "" {
		return errors.New("must not be empty. Remove it, or enter a name")
	}
	return nil
}

func checkHeaderName(name string) error {
	isName := func(reserved string) bool { return strings.EqualFold(reserved, name) }
	switch {
	case !headerName.MatchString(name):
		return errors.New("must consist of letters, digits, hyphens, and underscores")
	case isName("Authorization"):
		return errors.New("must not be Authorization, which the provider sets. Remove the header, and set the token argument instead")
	case slices.ContainsFunc(reservedHeaders, isName):
		return errors.New("is reserved, because the provider sets this header, or because it applies only to a single connection. Remove the header")
	}
	return nil
}

func checkHeaderValue(value string) error {
	if value == "" || strings.TrimSpace(value) != value || !httpguts.ValidHeaderFieldValue(value) {
		return errors.New("must not be empty, begin or end with whitespace, or contain control characters")
	}
	return nil
}

// description describes a validator.
type description string

func (d description) Description(context.Context) string             { return "must be " + string(d) }
func (d description) MarkdownDescription(ctx context.Context) string { return d.Description(ctx) }

// validString returns a validator that calls a function, whose error completes the
// sentence "The value ...". Unlike the framework's validators, it does not quote
// the value, which can be a secret.
func validString(text description, check func(string) error) validator.String {
	return stringCheck{description: text, subject: "The value", check: check}
}

// stringCheck reports the error of check. subject is "The value" or, for a key
// of a map, "The name". With notNull, it also rejects null, which an element can be.
type stringCheck struct {
	description
	subject string
	check   func(string) error
	notNull bool
}

func (v stringCheck) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	var err error
	switch {
	case req.ConfigValue.IsNull() && v.notNull:
		err = errors.New("must not be null. Remove it, or set it to a string")
	case !req.ConfigValue.IsNull() && !req.ConfigValue.IsUnknown():
		err = v.check(req.ConfigValue.ValueString())
	}
	if err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, invalidValue(req.Path.String()), fmt.Sprintf("%s %s.", v.subject, err))
	}
}

// notNull rejects an element that is null.
func notNull() validator.String {
	return stringCheck{description: "a string", subject: "The value", check: func(string) error { return nil }, notNull: true}
}

// validMap checks the names and the values of a map of strings.
func validMap(checkName, checkValue func(string) error) []validator.Map {
	return []validator.Map{
		mapvalidator.KeysAre(stringCheck{description: "a valid name", subject: "The name", check: checkName}),
		mapvalidator.ValueStringsAre(stringCheck{description: "a valid value", subject: "The value", check: checkValue, notNull: true}),
	}
}

// invalidValue is the summary of an error about the value of an argument or an
// environment variable.
func invalidValue(name string) string { return "Invalid value for " + name }
