// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"cmp"
	"context"
	"errors"
	"slices"
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

// withoutTrivial leaves out what is too short to look for, and puts longer
// secrets first: a shorter one inside of them would leave their rest.
func (s secrets) withoutTrivial() secrets {
	var kept secrets
	for _, secret := range s {
		if len(secret) >= minSecret {
			kept = append(kept, secret)
		}
	}
	slices.SortFunc(kept, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
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

// quote makes a text of the service fit to be shown, at most limit characters
// of it. It hides secrets before, because a cut would leave the beginning of
// one, and after, because dropping characters can complete one.
func (s secrets) quote(text string, limit int) string {
	return s.redact(printable(s.redact(text), limit))
}

// quoteError returns err as it is unless its text holds a secret or is not fit
// to be shown: net/http quotes what an answer that is not HTTP begins with.
func (s secrets) quoteError(err error) error {
	if text := s.quote(err.Error(), maxTextShown); text != err.Error() {
		return errors.New(text)
	}
	return err
}
