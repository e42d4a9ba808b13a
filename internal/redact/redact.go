// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package redact prepares texts of a service for messages, logs and storage. It
// masks the secrets that requests contain, because services and gateways can echo
// them.
package redact

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// Shorter values are not masked. A header's "1", for example, is not a
// secret, and masking it would make every message illegible. minPart applies to the
// credentials after a scheme, and to a header whose name does not indicate a secret.
const (
	minSecret = 4
	minPart   = 8
)

// secretName matches the name of a header that says that its value is a secret.
var secretName = regexp.MustCompile(`(?i)auth|cookie|credential|digest|key|pass|secret|session|signature|token`)

// Redactor masks secrets. It is safe for concurrent use.
type Redactor struct{ replacer *strings.Replacer }

// New returns a redactor for a token, headers, and the password of a proxy, which
// can be nil.
func New(token string, headers map[string]string, proxy *url.URL) *Redactor {
	var forms []string
	add := func(value string, least int) {
		if len(value) >= least {
			forms = append(forms, formsOf(value)...)
		}
	}
	add(token, minSecret)
	for name, value := range headers {
		if !secretName.MatchString(name) {
			add(value, minPart)
			continue
		}
		add(value, minSecret)
		_, credentials, _ := strings.Cut(value, " ") // after a scheme, such as Bearer
		add(credentials, minPart)
	}
	if proxy != nil && proxy.User != nil {
		password, _ := proxy.User.Password()
		add(password, minSecret)
		add(base64.StdEncoding.EncodeToString([]byte(proxy.User.Username()+":"+password)), minSecret) // as it is sent
	}
	// The longest come first, so that one that begins with another one is masked as a whole.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var masks []string
	for _, form := range forms {
		if form != "" { // A text of white space has an empty form.
			masks = append(masks, form, "***")
		}
	}
	return &Redactor{strings.NewReplacer(masks...)}
}

// formsOf returns the forms in which services and proxies echo a text: as it was sent, on
// one line, and as they write it into URLs, HTML, and JSON.
func formsOf(text string) []string {
	query := url.QueryEscape(text)
	path := url.PathEscape(text)
	inHTML := html.EscapeString(text)
	inJSON, _ := json.Marshal(text) // Marshaling a string cannot fail.
	return []string{
		text,
		strings.Join(strings.Fields(text), " "),
		inHTML,
		query,
		lowerEscapes(query),
		path,
		lowerEscapes(path),
		string(inJSON[1 : len(inJSON)-1]),
		jsonQuoted.Replace(text),
		strings.ReplaceAll(jsonQuoted.Replace(text), "/", `\/`),
		strings.ReplaceAll(text, "+", `\u002B`), // as .NET does
		strings.ReplaceAll(inHTML, "+", "&#x2B;"),
	}
}

var (
	percentEscape = regexp.MustCompile("%..")
	// JSON without the escapes of Go for HTML. PHP also escapes slashes.
	jsonQuoted = strings.NewReplacer(`"`, `\"`, `\`, `\\`)
)

func lowerEscapes(text string) string {
	return percentEscape.ReplaceAllStringFunc(text, strings.ToLower)
}

// Mask replaces each secret in a text with "***".
//
// A secret is found as it was sent, and as services and proxies write it into URLs, HTML,
// and JSON, with the escapes that these need. It is not found in other forms, such as
// escaped twice, on several lines, in Base64, or in parts.
func (r *Redactor) Mask(text string) string {
	return r.replacer.Replace(text)
}

// Clean returns a text as one line of at most limit characters, followed by an
// ellipsis if it is longer. It masks secrets, and removes unprintable characters,
// which could control the user's terminal.
func (r *Redactor) Clean(text string, limit int) string {
	line := oneline.Text(text, len(text)) // Not shortened, so that no secret is cut off.
	return oneline.Text(r.Mask(line), limit)
}
