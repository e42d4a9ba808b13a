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
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// Shorter values are not masked. A header's "1", for example, is not a
// secret, and masking it would make every message illegible. minPart applies to a part of
// a header, and to a header whose name does not indicate a secret.
const minSecret, minPart = 4, 8

// secretName matches the name of a header that contains a secret.
var secretName = regexp.MustCompile("(?i)auth|token|key|secret|password|cookie|credential|signature|digest")

// secret has the forms of each of its characters (see forms).
type secret [][]string

// Redactor masks secrets. It is safe for concurrent use.
type Redactor struct {
	// secrets are the texts to mask. Longer ones come first, because masking a text that
	// is a part of another one would leave the rest of that one.
	secrets []secret
	// first has the bytes with which a secret can begin. Most texts contain none of them.
	first [256]bool
}

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
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	r := &Redactor{}
	for _, text := range slices.Compact(texts) {
		var s secret
		for _, character := range text {
			s = append(s, forms(character))
		}
		r.secrets = append(r.secrets, s)
		for _, form := range s[0] { // No form is empty, because a secret begins with no space.
			r.first[form[0]] = true
		}
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

// forms returns the texts that can stand for a character, longer ones first: as
// URLs, JSON, and HTML escape it, and the character itself.
func forms(character rune) []string {
	text := string(character)
	switch {
	case character == ' ':
		return []string{"%20", "+", ""} // Empty, because lengthIn skips a space itself.
	case character < unicode.MaxASCII && (unicode.IsLetter(character) || unicode.IsDigit(character)):
		return []string{text}
	}
	inJSON, _ := json.Marshal(text) // Marshaling a string cannot fail.
	return []string{url.QueryEscape(text), html.EscapeString(text), string(inJSON[1 : len(inJSON)-1]), `\` + text, text}
}

// Mask replaces each secret in a text with "***".
func (r *Redactor) Mask(text string) string {
	var masked strings.Builder
	for text != "" {
		if length := r.secretAt(text); length > 0 {
			masked.WriteString("***")
			text = text[length:]
		} else {
			masked.WriteByte(text[0])
			text = text[1:]
		}
	}
	return masked.String()
}

// secretAt returns the length of the secret at the beginning of a text, or 0.
func (r *Redactor) secretAt(text string) int {
	if !r.first[text[0]] {
		return 0
	}
	for _, secret := range r.secrets {
		if length := secret.lengthIn(text); length > 0 {
			return length
		}
	}
	return 0
}

// lengthIn returns the length of a secret at the beginning of a text, or 0. White
// space inside of it is skipped, because long lines are wrapped.
func (s secret) lengthIn(text string) int {
	rest := text
	for i, forms := range s {
		if i > 0 {
			rest = strings.TrimLeft(rest, " \t\r\n")
		}
		var found bool
		for _, form := range forms {
			if rest, found = strings.CutPrefix(rest, form); found {
				break
			}
		}
		if !found {
			return 0
		}
	}
	return len(text) - len(rest)
}

// hidden removes invisible characters that oneline.Text keeps, because a secret with one
// of them inside would not be found.
var hidden = strings.NewReplacer("\u200c", "", "\u200d", "", "\ufffd", "")

// Clean returns a text as one line of at most limit characters, followed by an
// ellipsis if it is longer. It masks secrets, and removes unprintable characters,
// which could control the user's terminal.
func (r *Redactor) Clean(text string, limit int) string {
	line := hidden.Replace(oneline.Text(text, len(text))) // Not shortened, so that no secret is cut off.
	return oneline.Text(r.Mask(line), limit)
}
