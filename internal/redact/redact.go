// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package redact prepares texts of a service for messages, logs and storage. It
// masks the secrets that requests contain, because services and gateways can echo
// them.
package redact

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A shorter value is not masked, such as a header's "1", because that would make
// every message illegible without protecting a secret. minUnnamed applies to a
// value whose name does not indicate a secret.
const minSecret, minUnnamed = 4, 8

// secretName matches the name of a header that contains a secret.
var secretName = regexp.MustCompile("(?i)auth|token|key|secret|password|cookie|credential|signature")

// Redactor masks secrets. It is safe for concurrent use.
type Redactor struct {
	secrets *strings.Replacer
}

// New returns a redactor for a token, headers, and the credentials of a proxy,
// which can be nil.
func New(token string, headers map[string]string, proxy *url.URL) *Redactor {
	var secrets []string
	add := func(value string, least int) {
		if len(value) >= least {
			secrets = append(secrets, encodings(value)...)
		}
	}
	add(token, minSecret)
	add("Bearer "+token, minSecret) // Its Base64 does not contain the token's.
	for name, value := range headers {
		least := minUnnamed
		if secretName.MatchString(name) {
			least = minSecret
		}
		add(value, least)
		// "Basic dXNlcg==" can be echoed without its scheme.
		_, credentials, _ := strings.Cut(value, " ")
		add(credentials, least)
	}
	if proxy != nil && proxy.User != nil {
		password, _ := proxy.User.Password()
		add(password, minSecret)
		add(proxy.User.Username()+":"+password, minSecret)
	}
	// Longer texts precede shorter ones, because masking a text inside of another
	// would leave the rest of it.
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var masks []string
	for _, secret := range secrets {
		masks = append(masks, secret, "***")
	}
	return &Redactor{strings.NewReplacer(masks...)}
}

// percentEncoding matches a character that is escaped for URLs.
var percentEncoding = regexp.MustCompile("%[0-9A-F]{2}")

// encodings returns a text in each form that is masked: plain, and escaped for
// URLs, for JSON with and without escapes for HTML, and in Base64, as proxies and
// gateways echo it.
func encodings(text string) []string {
	escaped, _ := json.Marshal(text) // Marshaling a string cannot fail.
	quoted, query, path := strconv.Quote(text), url.QueryEscape(text), url.PathEscape(text)
	return []string{
		text, string(escaped[1 : len(escaped)-1]), quoted[1 : len(quoted)-1], strings.ReplaceAll(quoted[1:len(quoted)-1], "/", `\/`),
		query, percentEncoding.ReplaceAllStringFunc(query, strings.ToLower),
		path, percentEncoding.ReplaceAllStringFunc(path, strings.ToLower),
		base64.RawStdEncoding.EncodeToString([]byte(text)), base64.RawURLEncoding.EncodeToString([]byte(text)),
	}
}

// Mask replaces each secret in a text with "***".
func (r *Redactor) Mask(text string) string { return r.secrets.Replace(text) }

// Text masks a text's secrets and removes unprintable characters. It returns at
// most limit characters and an ellipsis. It masks secrets again after removing
// characters, which can complete one.
func (r *Redactor) Text(text string, limit int) string {
	text = r.Mask(printable(r.Mask(text)))
	if characters := []rune(text); len(characters) > limit {
		return string(characters[:limit]) + "…"
	}
	return text
}

// printable collapses white space and removes unprintable characters, which could
// control the user's terminal.
func printable(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
