// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/net/http/httpguts"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// The checks of the provider's configuration. An error completes the sentence
// "The value ..." and never quotes the value, which may be a secret or hold one.

// Bounds of settings, in the block and in the environment.
const (
	minTimeout, maxTimeout         = time.Millisecond, 24 * time.Hour
	minRetries, maxRetries         = 0, 20
	minConcurrency, maxConcurrency = 1, 256
	minRate, maxRate               = 0.001, 10_000
	maxSecret                      = 16 << 10 // bytes
)

var (
	errEmpty      = errors.New("must not be empty")
	errWhitespace = errors.New("must not begin or end with whitespace")
)

func checkBaseURL(text string) error {
	u, err := convo.ParseBaseURL(text)
	if err == nil && strings.HasSuffix(u.Path, "/v1") {
		err = errors.New("must not end in /v1, because the provider appends it. Remove /v1 from the end")
	}
	return err
}

// checkLine rejects texts that are empty, or could not be sent unchanged.
func checkLine(text string) error {
	switch {
	case text == "":
		return errEmpty
	case strings.TrimSpace(text) != text:
		return errWhitespace
	case strings.ContainsFunc(text, unicode.IsControl):
		return errors.New("must not contain control characters")
	}
	return nil
}

func checkToken(token string) error {
	err := checkLine(token)
	switch {
	case errors.Is(err, errWhitespace):
		return fmt.Errorf("%w, such as the line break at the end of a file. In a configuration, use trimspace(file(...)) to remove it", err)
	case err != nil:
		return err
	case strings.HasPrefix(strings.ToLower(token), "bearer "):
		return errors.New("must be the token without the word Bearer, which the provider adds")
	case strings.ContainsFunc(token, func(r rune) bool { return r > unicode.MaxASCII }):
		return errors.New("must contain only ASCII characters. Remove other characters, which can be invisible, such as the byte order " +
			"mark at the beginning of a file")
	}
	return checkLength(token)
}

// checkLength rejects values that no server accepts in a header, and that are
// slow to find in each text that must not contain them.
func checkLength(text string) error {
	if len(text) > maxSecret {
		return fmt.Errorf("must not be longer than %d bytes", maxSecret)
	}
	return nil
}

func checkTimeout(text string) error {
	if duration, err := time.ParseDuration(text); err != nil || duration < minTimeout || duration > maxTimeout {
		return errors.New("must be a duration from 1ms to 24h with a unit, such as 30s or 1m30s")
	}
	return nil
}

// checkedText returns a parser of texts that a check accepts.
func checkedText(check func(string) error) func(string) (types.String, error) {
	return func(text string) (types.String, error) { return types.StringValue(text), check(text) }
}

// wholeNumber returns a parser of numbers from least to most.
func wholeNumber(least, most int64) func(string) (types.Int64, error) {
	return func(text string) (types.Int64, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < least || n > most {
			return types.Int64Null(), fmt.Errorf("must be a whole number from %d to %d", least, most)
		}
		return types.Int64Value(n), nil
	}
}

func parseRate(text string) (types.Float64, error) {
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || !(rate >= minRate && rate <= maxRate) { // The comparison is also false for NaN.
		return types.Float64Null(), fmt.Errorf("must be a number from %g to %d, such as 10 or 0.5", minRate, maxRate)
	}
	return types.Float64Value(rate), nil
}

const (
	setByProvider    = "the provider sets it"
	singleConnection = "it applies to a single connection and does not reach the service"
)

// reservedHeaders maps the headers that cannot be set, in lowercase, to the
// reason.
var reservedHeaders = map[string]string{
	"authorization":     "the provider sends the token in it",
	"accept":            setByProvider,
	"accept-encoding":   setByProvider,
	"content-length":    setByProvider,
	"content-type":      setByProvider,
	"host":              setByProvider,
	"transfer-encoding": setByProvider,
	"user-agent":        setByProvider,
	"connection":        singleConnection,
	"expect":            singleConnection,
	"http2-settings":    singleConnection,
	"keep-alive":        singleConnection,
	"te":                singleConnection,
	"trailer":           singleConnection,
	"upgrade":           singleConnection,
}

// checkHeaderName rejects headers that cannot be sent, or would not reach the
// service unchanged. Its error completes the sentence "The header ...".
func checkHeaderName(name string) error {
	lower := strings.ToLower(name)
	reason, isReserved := reservedHeaders[lower]
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return errors.New("must have a name of letters, digits, and hyphens")
	case isReserved:
		return fmt.Errorf("%s cannot be set, because %s. Remove it from the headers argument", name, reason)
	case strings.HasPrefix(lower, "proxy-") && !requiresTLS(name):
		return fmt.Errorf("%s cannot be set, because it is for a proxy. Put the proxy's credentials in the URL in HTTPS_PROXY or HTTP_PROXY", name)
	}
	return nil
}

// requiresTLS reports whether an extra header reaches the service over https
// only. Gateways such as Google's Identity-Aware Proxy take their own token from
// Proxy-Authorization; over http, a proxy on the way would take it.
func requiresTLS(name string) bool { return strings.EqualFold(name, "Proxy-Authorization") }

func checkHeaderValue(value string) error {
	if err := checkLine(value); err != nil {
		return err
	}
	return checkLength(value)
}

func checkCertificates(text string) error {
	count := 0
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return errors.New("contains a PEM block that is not a certificate")
		}
		count++
	}
	if count == 0 {
		return errNoPEM(text, "one or more certificates", "CERTIFICATE")
	}
	return nil
}

func checkPrivateKey(text string) error {
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return errNoPEM(text, "a private key", "PRIVATE KEY")
		}
		switch {
		case !strings.HasSuffix(block.Type, "PRIVATE KEY"):
			// Such as the parameters before an elliptic curve key.
		case block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != "":
			return errors.New("must not be encrypted. Decrypt the key, for example with openssl pkey")
		default:
			return nil
		}
	}
}

// errNoPEM returns the error for a text without the required PEM block. A
// single line that does not begin like one is most likely the path of a file.
func errNoPEM(text, wanted, block string) error {
	hint := ""
	if text != "" && !strings.ContainsAny(text, "\r\n") && !strings.Contains(text, "-----BEGIN") {
		hint = ". If the value is the path to a file, use file(...) to read the file"
	}
	return fmt.Errorf("must be %s in PEM format, beginning with -----BEGIN %s-----%s", wanted, block, hint)
}

// validHeaders rejects headers that cannot be sent.
func validHeaders() []validator.Map {
	return []validator.Map{
		mapvalidator.KeysAre(checkedString{"header", "the name of a header that the provider can send", checkHeaderName}),
		mapvalidator.ValueStringsAre(checked("the value of a header", checkHeaderValue)),
		mapvalidator.NoNullValues(),
		uniqueHeaders{},
	}
}

// uniqueHeaders rejects several spellings of one header, of which only a random
// one would be sent.
type uniqueHeaders struct{}

func (uniqueHeaders) Description(context.Context) string {
	return "must contain each header only once"
}

func (v uniqueHeaders) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (uniqueHeaders) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	seen := map[string]bool{}
	for name := range req.ConfigValue.Elements() {
		name = http.CanonicalHeaderKey(name)
		if seen[name] {
			resp.Diagnostics.AddAttributeError(req.Path, "Duplicate header in "+req.Path.String(), fmt.Sprintf(
				"The header %s is set more than once, in different spellings. Keep one of them.", name))
		}
		seen[name] = true
	}
}
