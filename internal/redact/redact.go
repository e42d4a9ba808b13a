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
	"html"
	"net/url"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/lazyregexp"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// Shorter values are not masked. A header's "1", for example, is not a
// secret, and masking it would make every message illegible. minPart applies to a part of
// a header, and to a header whose name does not indicate a secret.
const minSecret, minPart = 4, 8

var (
	wordStart  = lazyregexp.New(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])`)
	noLetters  = lazyregexp.New(`[^A-Za-z]+`)
	secretName = lazyregexp.New(`_((api|private|access|signing|secret|master|encryption)_?keys?|(access|auth|client)?(secret|token)s?|pass(words?|wd|phrase|code)?|pwd|pin|t?otp|creds|jwt|bearer|` +
		`credentials?|authorization|cookies?|sessions?|signature|digest)_|[a-z]_(keys?|auth|authentication)_$`)
	aboutSecret = lazyregexp.New(`_(timeout|lifetime|ttl|expiry|expiration|duration|age|length|ms|millis|seconds|minutes|hours|days)_$`)
)

// IsSecretName reports whether the name of a header or a setting says by a whole word, such as in
// apiKey, that it contains a secret. How long a secret is or lasts, as in tokenLifetime, is none.
func IsSecretName(name string) bool {
	words := noLetters().ReplaceAllString(wordStart().ReplaceAllString(name, "${1}${3}_${2}${4}"), "_")
	words = "_" + strings.ToLower(strings.Trim(words, "_")) + "_"
	return secretName().MatchString(words) && !aboutSecret().MatchString(words)
}

// Redactor masks secrets. It is safe for concurrent use.
type Redactor struct{ replacer *strings.Replacer }

// New returns a redactor for a token, headers, and the password of a proxy, which
// can be nil.
func New(token string, headers map[string]string, proxy *url.URL) *Redactor {
	var forms []string
	add := func(value string, least int) {
		if len(value) >= least {
			forms = append(forms, formsOf(value)...)
			for _, encoded := range insideBase64(value) {
				forms = append(forms, formsOf(encoded)...)
			}
		}
	}
	add(token, minSecret)
	for name, value := range headers {
		if !IsSecretName(name) {
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
	// The longest come first, so that one that begins with another one is masked as a whole.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var masks []string
	for _, form := range forms {
		masks = append(masks, form, "***")
	}
	return &Redactor{strings.NewReplacer(masks...)}
}

// formsOf returns the forms in which services and proxies echo a text: as it was sent, on
// one line, and as they write it into URLs, HTML, and JSON.
func formsOf(text string) []string {
	query, path := url.QueryEscape(text), url.PathEscape(text)
	inJSON, _ := json.Marshal(text) // Marshaling a string cannot fail.
	return []string{
		text, strings.Join(strings.Fields(text), " "), html.EscapeString(text),
		query, percentEscape().ReplaceAllStringFunc(query, strings.ToLower), path, percentEscape().ReplaceAllStringFunc(path, strings.ToLower),
		string(inJSON[1 : len(inJSON)-1]), jsonQuoted.Replace(text), jsonSlashed.Replace(text),
		strings.ReplaceAll(text, "+", `\u002B`), strings.ReplaceAll(html.EscapeString(text), "+", "&#x2B;"), // as .NET does
	}
}

var (
	percentEscape = lazyregexp.New("%..")
	// JSON without the escapes of Go for HTML, and with those of PHP for slashes.
	jsonQuoted  = strings.NewReplacer(`"`, `\"`, `\`, `\\`)
	jsonSlashed = strings.NewReplacer(`"`, `\"`, `\`, `\\`, "/", `\/`)
)

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

// Mask replaces each secret in a text with "***".
//
// A secret is found as it was sent, and as services and proxies write it into URLs, HTML,
// and JSON, with the escapes that these need, and in Base64. It is not found in other
// forms, such as escaped twice, on several lines, in hexadecimal, or in parts.
func (r *Redactor) Mask(text string) string { return r.replacer.Replace(text) }

// hidden removes invisible characters that oneline.Text keeps, because a secret with one
// of them inside would not be found.
var hidden = strings.NewReplacer("\u200c", "", "\u200d", "", "\ufffd", "")

// maxCleaned is the number of bytes of a text that Clean reads.
const maxCleaned = 1 << 20

// Clean returns a text as one line of at most limit characters, followed by an
// ellipsis if it is longer. It masks secrets, and removes unprintable characters,
// which could control the user's terminal.
func (r *Redactor) Clean(text string, limit int) string {
	text = text[:min(len(text), maxCleaned)]
	line := hidden.Replace(oneline.Text(text, len(text))) // Not shortened, so that no secret is cut off.
	return oneline.Text(r.Mask(line), limit)
}
