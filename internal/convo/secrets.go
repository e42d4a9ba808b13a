// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// secrets are values that must appear neither in a log nor in an error: the
// token and the configured headers.
type secrets []string

// minSecret is the shortest value that is looked for. Masking an empty string
// would put stars between all characters, and one of a few characters, such as
// a header's "1", would hide half of every message without keeping a secret.
const minSecret = 4

func (s secrets) withoutTrivial() secrets {
	var kept secrets
	for _, secret := range s {
		if len(secret) >= minSecret {
			kept = append(kept, secret)
		}
	}
	return kept
}

// mask returns a context whose logger hides the secrets. A mask lives in the
// context of one call, so that every request sets it anew.
func (s secrets) mask(ctx context.Context) context.Context {
	return tflog.MaskLogStrings(ctx, s...)
}

// redact hides the secrets in a text that came from outside: proxies and
// gateways are known to echo what they were sent.
func (s secrets) redact(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return text
}

func (s secrets) redactAnswer(e *Error) *Error {
	e.Code, e.Message, e.Excerpt = s.redact(e.Code), s.redact(e.Message), s.redact(e.Excerpt)
	for i, issue := range e.Issues {
		e.Issues[i] = s.redact(issue)
	}
	return e
}

// redactError returns err as it is unless its text holds a secret.
func (s secrets) redactError(err error) error {
	if text := err.Error(); s.redact(text) != text {
		return errors.New(s.redact(text))
	}
	return err
}
