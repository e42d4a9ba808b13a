// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package redact prepares texts of a service for messages, logs and storage. It
// masks the secrets that requests contain, because services and gateways can echo
// them.
package redact

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// Shorter values are not masked. A header's "1", for example, is not a
// secret, and masking it would make every message illegible. minPart applies to a part of
// a header, and to a header whose name does not indicate a secret, and minPlain to what
// remains of a value without escapes.
const minSecret, minPart, minPlain = 4, 8, 3

// secretName matches the name of a header that contains a secret.
var secretName = regexp.MustCompile("(?i)auth|token|key|secret|password|cookie|credential|signature|digest")

// Redactor masks secrets. It is safe for concurrent use.
type Redactor struct {
	secrets []secret
	longest int // bytes in a secret
}

// secret is a text to mask, as it was sent, and without escapes, or "".
type secret struct{ text, plain string }

// New returns a redactor for a token, headers, and the password of a proxy, which
// can be nil.
func New(token string, headers map[string]string, proxy *url.URL) *Redactor {
	var texts []string
	add := func(value string, least int) {
		if value = strings.TrimSpace(value); len(value) >= least {
			texts = append(append(texts, value), insideBase64(value)...)
		}
	}
	add(token, minSecret)
	for name, value := range headers {
		if !secretName.MatchString(name) {
			add(value, minPart)
			continue
		}
		add(value, minSecret)
		// A service can echo one of several cookies, credentials without their scheme, or
		// a signature without its parameters.
		for _, part := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(` ,;"`, r) }) {
			_, content, _ := strings.Cut(part, "=")
			add(part, minPart)
			add(content, minPart)
		}
	}
	if proxy != nil {
		password, _ := proxy.User.Password()
		add(password, minSecret)
	}
	r := &Redactor{}
	slices.Sort(texts)
	for _, text := range slices.Compact(texts) {
		levels := withoutEscapes(text)
		plain := levels[len(levels)-1].text
		if len(plain) < minPlain { // Of "&amp;", for example, a single character remains.
			plain = ""
		}
		r.secrets = append(r.secrets, secret{text, plain})
		r.longest = max(r.longest, len(text))
	}
	return r
}

// insideBase64 returns what a text becomes if it is a part of a longer text, such as
// "user:token", that is encoded in Base64. This depends on the position of the text and
// on the alphabet. Characters that also encode bytes before or after it are omitted.
func insideBase64(text string) []string {
	var encoded []string
	for before := range 3 { // bytes before the text in its group of three bytes
		padded := append(make([]byte, before), text...)
		// A character encodes 6 bits. first is rounded up, and last is rounded down.
		first, last := (before*8+5)/6, len(padded)*8/6
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			encoded = append(encoded, encoding.EncodeToString(padded)[first:last])
		}
	}
	return encoded
}

// Mask replaces each secret in a text with "***". Its time is linear in the text.
//
// A secret is found as it was sent, and as services and proxies write it into JSON,
// HTML, and URLs: with escapes of any notation, twice at most, on several lines, and in
// Base64. It is not found in hexadecimal, as a hash, reversed, or in parts, because no
// service or proxy is known to echo it like that.
func (r *Redactor) Mask(text string) string { return r.maskUntil(text, len(text)) }

// maskUntil is Mask for the beginning of a text. It also finds a secret that ends after
// that.
func (r *Redactor) maskUntil(text string, until int) string {
	levels := withoutEscapes(text)
	var found []span
	for i, level := range levels {
		isLast := i == len(levels)-1
		if !isLast && levels[i+1].parts == nil {
			continue // The next level has the same text.
		}
		for _, secret := range r.secrets {
			searched := secret.text
			if isLast {
				searched = secret.plain
			}
			for _, s := range spansOf(searched, level.text) {
				found = append(found, original(levels[:i+1], s))
			}
		}
	}
	slices.SortFunc(found, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	var masked strings.Builder
	end := 0 // of what is written or masked
	for _, secret := range found {
		if secret.start >= until {
			break
		}
		if secret.start >= end {
			masked.WriteString(text[end:secret.start] + "***")
		}
		end = max(end, secret.end) // Secrets can overlap.
	}
	return masked.String() + text[end:max(end, until)]
}

// spansOf returns where a text contains another one, which can be empty.
func spansOf(searched, text string) []span {
	var spans []span
	for begin := 0; searched != ""; {
		at := strings.Index(text[begin:], searched)
		if at < 0 {
			break
		}
		spans = append(spans, span{begin + at, begin + at + len(searched)})
		begin += at + len(searched)
	}
	return spans
}

// hidden removes invisible characters that oneline.Text keeps, because a secret with one
// of them inside would not be found.
var hidden = strings.NewReplacer("\u200c", "", "\u200d", "", "\ufffd", "")

// maxCleaned is the number of bytes of a text that Clean reads.
const maxCleaned = 1 << 20

// Clean returns a text as one line of at most limit characters, followed by an
// ellipsis if it is longer. It masks secrets, and removes unprintable characters,
// which could control the user's terminal.
func (r *Redactor) Clean(text string, limit int) string {
	line := hidden.Replace(oneline.Text(text, len(text))) // Not shortened, so that no secret is cut off.
	until := len(line)
	if until > maxCleaned {
		// The end can be a part of a secret.
		line, until = line[:maxCleaned], max(0, maxCleaned-longestEscape*r.longest)
	}
	return oneline.Text(r.maskUntil(line, until), limit)
}
