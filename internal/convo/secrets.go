// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"golang.org/x/net/http/httpproxy"
)

// secrets are values that must not appear in logs or errors: the token, the
// configured headers and the passwords of proxies. They are found in plain text
// and in the encodings in which proxies and gateways echo them.
type secrets struct {
	plain []string
	all   []secret
}

// secret is a text and the expression that matches its escaped forms, none of
// which is shorter.
type secret struct {
	text    string
	pattern *regexp.Regexp
}

// minSecret is the length of the shortest value that is masked. Masking shorter
// values, such as a header's "1", would make every message illegible without
// protecting a secret.
const minSecret = 4

// newSecrets sorts longer secrets first, because masking a shorter one inside a
// longer one would leave the rest of it.
func newSecrets(values ...string) secrets {
	var texts []string
	for _, value := range values {
		texts = append(texts, value)
		// "Basic dXNlcg==" can be echoed without its scheme.
		if _, credentials, ok := strings.Cut(value, " "); ok {
			texts = append(texts, credentials)
		}
	}
	plain := longestFirst(slices.DeleteFunc(texts, func(text string) bool { return len(text) < minSecret }))
	all := slices.Clone(plain)
	for _, text := range plain {
		all = append(all, base64Forms(text)...)
	}
	found := secrets{plain: plain}
	for _, text := range longestFirst(all) {
		found.all = append(found.all, secret{text, regexp.MustCompile(pattern(text))})
	}
	return found
}

// longestFirst sorts texts and removes duplicates.
func longestFirst(texts []string) []string {
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(texts)
}

// base64Forms returns the base64 forms of a text, alone and inside a longer
// text such as "user:password", at each of the three possible offsets.
func base64Forms(text string) []string {
	var forms []string
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		forms = append(forms, encoding.EncodeToString([]byte(text)))
		for before := range 3 {
			encoded := encoding.EncodeToString([]byte(strings.Repeat("x", before) + text))
			// The characters that also depend on the neighbors are omitted.
			forms = append(forms, encoded[(before*8+5)/6:(before+len(text))*8/6])
		}
	}
	return forms
}

// pattern returns an expression that matches a text in plain form and as
// escaped in URLs, HTML and JSON. Each character other than a letter or digit
// can be escaped in any of these ways.
func pattern(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			b.WriteRune(r)
			continue
		}
		literal := regexp.QuoteMeta(string(r))
		fmt.Fprintf(&b, `(?:%s|\\+%s|&#0*%d;|(?i:&#x0*%x;|`, literal, literal, r, r)
		for _, c := range []byte(string(r)) {
			fmt.Fprintf(&b, "%%%02x", c)
		}
		b.WriteByte('|')
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\\+u%04x`, unit)
		}
		switch r {
		case ' ':
			b.WriteString(`|\+`)
		case '"':
			b.WriteString("|&quot;")
		case '&':
			b.WriteString("|&amp;")
		case '\'':
			b.WriteString("|&apos;")
		case '<':
			b.WriteString("|&lt;")
		case '>':
			b.WriteString("|&gt;")
		}
		b.WriteString("))")
	}
	return b.String()
}

// proxySecrets returns the passwords in the URLs of proxies.
func proxySecrets(proxies *httpproxy.Config) []string {
	var passwords []string
	for _, proxy := range []string{proxies.HTTPProxy, proxies.HTTPSProxy} {
		u, err := url.Parse(proxy)
		if err != nil || u.User == nil {
			// httpproxy does the same for a proxy without a scheme.
			u, err = url.Parse("http://" + proxy)
		}
		if err != nil {
			continue
		}
		if password, ok := u.User.Password(); ok {
			passwords = append(passwords, password)
		}
	}
	return passwords
}

// mask returns a context whose logger masks plain secrets. Texts from responses
// are redacted before they are logged. The mask is part of the context, so
// every call sets it. Concurrent calls must not share one, because tflog changes
// the fields of a logger with a mask while it logs.
func (s secrets) mask(ctx context.Context) context.Context {
	return tflog.MaskLogStrings(ctx, s.plain...)
}

// redact masks the secrets in a text from outside.
func (s secrets) redact(text string) string {
	for _, secret := range s.all {
		if len(text) >= len(secret.text) {
			text = secret.pattern.ReplaceAllLiteralString(text, "***")
		}
	}
	return text
}

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
