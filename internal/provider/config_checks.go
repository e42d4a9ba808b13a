// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"golang.org/x/net/http/httpguts"
)

// The checks of the provider's configuration and of the resource's arguments.
// An error completes the sentence "The value ..." and never quotes the value,
// which may be a secret or hold one.

var errEmpty = errors.New("must not be empty")

func checkToken(token string) error {
	switch {
	case token == "":
		return errEmpty
	case strings.TrimSpace(token) != token:
		return errors.New("must not begin or end with white space, such as the line break at the end of a file")
	case strings.HasPrefix(strings.ToLower(token), "bearer "):
		return errors.New("must be the token alone: the provider puts Bearer before it")
	case strings.ContainsFunc(token, unicode.IsControl) || !httpguts.ValidHeaderFieldValue(token):
		return errors.New("must not contain control characters")
	}
	return nil
}

func checkTimeout(text string) error {
	if duration, err := time.ParseDuration(text); err != nil || duration <= 0 {
		return errors.New("must be a duration above zero with a unit, such as 30s or 1m30s")
	}
	return nil
}

func checkHeaderName(name string) error {
	if !httpguts.ValidHeaderFieldName(name) {
		return errors.New("must be the name of a header: letters, digits and hyphens")
	}
	switch strings.ToLower(name) {
	case "authorization":
		return errors.New("must not be Authorization: the provider sends its token there")
	case "accept", "accept-encoding", "connection", "content-length", "content-type", "host", "transfer-encoding", "user-agent":
		return fmt.Errorf("must not be %s: the provider sets it itself", name)
	}
	return nil
}

func checkHeaderValue(value string) error {
	switch {
	case value == "":
		return errEmpty
	case strings.TrimSpace(value) != value:
		return errors.New("must not begin or end with white space")
	case !httpguts.ValidHeaderFieldValue(value):
		return errors.New("must not contain control characters")
	}
	return nil
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
			return errors.New("has a PEM block that is not a certificate")
		}
		count++
	}
	if count == 0 {
		return errors.New("must be one or more certificates in PEM, beginning with -----BEGIN CERTIFICATE-----")
	}
	return nil
}

func checkPrivateKey(text string) error {
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return errors.New("must be a private key in PEM, beginning with -----BEGIN PRIVATE KEY-----")
		}
		switch {
		case !strings.HasSuffix(block.Type, "PRIVATE KEY"):
			// Such as the parameters that stand before a key on a curve.
		case block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != "":
			return errors.New("must not be encrypted: decrypt the key, for example with openssl pkey")
		default:
			return nil
		}
	}
}

func checkName(name string) error {
	switch {
	case name == "":
		return errEmpty
	case strings.TrimSpace(name) != name:
		return errors.New("must not begin or end with white space")
	case strings.ContainsFunc(name, unicode.IsControl):
		return errors.New("must not contain control characters")
	}
	return nil
}

// checkObject refuses what is not a JSON object.
func checkObject(text string) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil {
		return errors.New("must be a JSON object, such as the result of jsonencode({ ... })")
	}
	return nil
}

func checkNotEmpty(text string) error {
	if text == "" {
		return errEmpty
	}
	return nil
}

// distinctHeaders refuses a header that is named twice, in two spellings:
// which of them is sent would be chance.
type distinctHeaders struct{}

func (distinctHeaders) Description(context.Context) string {
	return "must name every header once, whatever the case"
}

func (v distinctHeaders) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (distinctHeaders) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	seen := map[string]bool{}
	for name := range req.ConfigValue.Elements() {
		name = http.CanonicalHeaderKey(name)
		if seen[name] {
			resp.Diagnostics.AddAttributeError(req.Path, invalidValue(req.Path.String()),
				fmt.Sprintf("The header %s is named more than once, in different spellings.", name))
		}
		seen[name] = true
	}
}
