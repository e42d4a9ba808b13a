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

// A shorter value is not masked, such as a header's "1", because that would make
// every message illegible without protecting a secret. minPart applies to a part of
// a header, and to a header whose name does not indicate a secret.
const minSecret, minPart = 4, 8

// secretName matches the name of a header that contains a secret.
var secretName = regexp.MustCompile("(?i)auth|token|key|secret|password|cookie|credential|signature|digest")

// Redactor masks secrets. It is safe for concurrent use.
type Redactor struct {
	// secrets are the texts to mask, longest first, because masking a text inside of
	// another would leave the rest of it. Each consists of the forms of its characters.
	secrets [][][]string
	// first has the bytes with which a secret can begin, because most texts have none.
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
		var secret [][]string
		for _, character := range text {
			secret = append(secret, forms(character))
		}
		r.secrets = append(r.secrets, secret)
		for _, form := range secret[0] {
			r.first[form[0]] = true
		}
	}
	return r
}

// insideBase64 returns the characters that encode a text wherever it stands in a
// text in Base64, such as "user:token" or a JSON object, for both alphabets. A
// character that also encodes a neighbor of the text is omitted.
func insideBase64(text string) []string {
	var encoded []string
	for before, first := range []int{0, 2, 3} {
		padded := append(make([]byte, before), text...)
		last := len(padded)/3*4 + len(padded)%3
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
		return []string{"%20", "+", ""} // Mask skips spaces.
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
		if length := lengthIn(text, secret); length > 0 {
			return length
		}
	}
	return 0
}

// lengthIn returns the length of a secret at the beginning of a text, or 0. White
// space inside of it is skipped, because long lines are wrapped.
func lengthIn(text string, secret [][]string) int {
	rest := text
	for i, forms := range secret {
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

// hidden are characters that would remain in a line, but hide a secret between them.
var hidden = strings.NewReplacer("\u200c", "", "\u200d", "", "\ufffd", "")

// Clean returns a text as one line of at most limit characters, followed by an
// ellipsis if it is longer. It masks secrets, and removes unprintable characters,
// which could control the user's terminal.
func (r *Redactor) Clean(text string, limit int) string {
	line := hidden.Replace(oneline.Text(text, len(text)))
	return oneline.Text(r.Mask(line), limit)
}
