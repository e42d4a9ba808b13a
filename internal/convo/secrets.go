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

// secrets find what must appear neither in a log nor in an error: the token,
// the configured headers and the passwords of proxies, as they are and in the
// encodings in which proxies and gateways are known to echo what they were sent.
type secrets struct {
	plain []string
	all   []secret
}

// secret is a text and the expression that finds it in any of its escapes, none
// of which is shorter.
type secret struct {
	text    string
	pattern *regexp.Regexp
}

// minSecret is the shortest value that is looked for. Masking an empty string
// would put stars between all characters, and one of a few characters, such as
// a header's "1", would hide half of every message without keeping a secret.
const minSecret = 4

// newSecrets puts longer secrets first: a shorter one inside of them would
// leave their rest.
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

// longestFirst sorts texts and leaves out those that are there twice.
func longestFirst(texts []string) []string {
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(texts)
}

// base64Forms returns what a text becomes in base64, alone and inside of a
// longer one, such as "user:password", where it begins at any of three places
// of a group of four characters.
func base64Forms(text string) []string {
	var forms []string
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		forms = append(forms, encoding.EncodeToString([]byte(text)))
		for before := range 3 {
			encoded := encoding.EncodeToString([]byte(strings.Repeat("x", before) + text))
			// Without the characters that depend on the neighbors too.
			forms = append(forms, encoded[(before*8+5)/6:(before+len(text))*8/6])
		}
	}
	return forms
}

// pattern returns the expression that matches a text as it is and as URLs,
// HTML and JSON escape it: of what they escape, anything but letters and digits,
// each character in any of the ways.
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
			// As httpproxy does with a proxy that is given without a scheme.
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

// mask returns a context whose logger hides the secrets as they are: what else
// is logged of a response is redacted before. A mask lives in the context of one
// call, so that every request sets it anew.
func (s secrets) mask(ctx context.Context) context.Context {
	return tflog.MaskLogStrings(ctx, s.plain...)
}

// redact hides the secrets in a text that came from outside.
func (s secrets) redact(text string) string {
	for _, secret := range s.all {
		if len(text) >= len(secret.text) {
			text = secret.pattern.ReplaceAllLiteralString(text, "***")
		}
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
// to be shown.
func (s secrets) quoteError(err error) error {
	if text := s.quote(err.Error(), maxTextShown); text != err.Error() {
		return errors.New(text)
	}
	return err
}
