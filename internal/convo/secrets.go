// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/http/httpproxy"
)

// secrets are the texts that must not appear in logs or errors: the token,
// configured headers and the credentials of proxies. Longer texts precede shorter
// ones, because masking a text inside of another would leave the rest of it.
type secrets []string

// A shorter value is not masked, such as a header's "1", because that would make
// every message illegible without protecting a secret. minUnnamed applies to a
// value whose name does not indicate a secret.
const minSecret, minUnnamed = 4, 8

func newSecrets(config Config, proxies *httpproxy.Config) secrets {
	var all secrets
	add := func(value string, least int) {
		if len(value) >= least {
			all = append(all, encodings(value)...)
		}
	}
	add(config.Token, minSecret)
	for name, value := range config.Headers {
		least := minUnnamed
		if secretName.MatchString(name) {
			least = minSecret
		}
		add(value, least)
		// "Basic dXNlcg==" can be echoed without its scheme.
		_, credentials, _ := strings.Cut(value, " ")
		add(credentials, least)
	}
	for _, proxy := range []string{proxies.HTTPProxy, proxies.HTTPSProxy} {
		if u, err := parseProxy(proxy); err == nil {
			password, _ := u.User.Password()
			add(password, minSecret)
			add(u.User.Username(), minUnnamed)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(all)
}

// secretName matches the name of a header that contains a secret.
var secretName = regexp.MustCompile("(?i)auth|token|key|secret|password|cookie|credential|signature")

// encodings returns a text in each form that is masked: plain, and escaped for
// URLs and JSON and in base64, as proxies and gateways echo it.
func encodings(text string) []string {
	forms := []string{text, url.QueryEscape(text), url.PathEscape(text)}
	for _, escapeHTML := range []bool{true, false} {
		var quoted strings.Builder
		encoder := json.NewEncoder(&quoted)
		encoder.SetEscapeHTML(escapeHTML)
		_ = encoder.Encode(text)                                 // Encoding a string cannot fail.
		forms = append(forms, quoted.String()[1:quoted.Len()-2]) // Without quotes and the line break.
	}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		forms = append(forms, encoding.EncodeToString([]byte(text)))
		// In a longer text, such as "user:password", a text has one of three offsets.
		// The characters that also depend on the neighbors are omitted.
		for before := range 3 {
			encoded := encoding.EncodeToString([]byte(strings.Repeat("x", before) + text))
			forms = append(forms, encoded[(before*8+5)/6:(before+len(text))*8/6])
		}
	}
	return forms
}

// redact masks the secrets in a text from outside.
func (s secrets) redact(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return text
}

// Quote prepares a text of the service for display or storage. It removes
// secrets and unprintable characters, and returns at most 1,000 characters.
func (c *Client) Quote(text string) string { return c.secrets.quote(text, maxTextShown) }

// quote prepares at most limit characters of a text of the service for display.
// It masks secrets before truncation, which could leave the beginning of one,
// and afterwards, because removing characters can complete one.
func (s secrets) quote(text string, limit int) string {
	return s.redact(printable(s.redact(text), limit))
}

// quoteError returns err unchanged unless its text contains a secret or cannot
// be printed.
func (s secrets) quoteError(err error) error {
	if text := s.quote(err.Error(), maxTextShown); text != err.Error() {
		return errors.New(text)
	}
	return err
}

// printable collapses white space, removes unprintable characters, which could
// control the user's terminal, and truncates to limit characters.
func printable(text string, limit int) string {
	var b strings.Builder
	count, space := 0, false
	for _, r := range text {
		if unicode.IsSpace(r) {
			space = count > 0
			continue
		}
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			continue
		}
		if space && count < limit {
			b.WriteByte(' ')
			count++
		}
		space = false
		if count >= limit {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
		count++
	}
	return b.String()
}
