// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/idna"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

const (
	maxHosts    = 1000
	maxHostLen  = 253 // length of the longest name in the DNS
	maxScheme   = 2 * len("mailto")
	maxQuoted   = 1024 // length of the longest URL in quotes, and of the longest host
	maxInBraces = 200  // length of the longest variable in a host

	inBraces    = `\{\{[^{}]*\}\}|\{[^{}/\s"':,]*\}`
	punctuation = ",;!*|&=()}[]" // It ends a host in a sentence or Markdown.
	beforeURL   = "\"'`(<="
)

var (
	schemeAtEnd  = regexp.MustCompile(strings.ReplaceAll(`(?i)(h.t.t.p.s|h.t.t.p|w.s.s|w.s|f.t.p|m.a.i.l.t.o|d.a.t.a).$`, ".", `[\t\n\r]*`))
	nextURL      = regexp.MustCompile(`(?i)(https?|wss?|ftp):$`)
	dataURL      = regexp.MustCompile(`^[\w/+.;=-]*,`)
	recipients   = regexp.MustCompile("^[^:\"'<>`\\s]*")
	recipient    = regexp.MustCompile(`(?:@|%40)([^@%,;&?]+)`)
	twoSlashes   = regexp.MustCompile(`^[/\\]{2}`)
	escapedSlash = regexp.MustCompile(`(?i)^\\(u00|x)2f`)
	// entity and escape match characters as HTML, and JSON and code, can write them.
	entity = regexp.MustCompile(`&(#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z0-9]+);`)
	escape = regexp.MustCompile(`\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})`)

	variables     = regexp.MustCompile(inBraces)
	firstVariable = regexp.MustCompile(`^(?:` + inBraces + `)`)
	hostInText    = regexp.MustCompile(`^(\[[0-9A-Fa-f:.%]+\])?(?:` + inBraces + `|[^` + regexp.QuoteMeta(punctuation) + `])*`)
	// plainHost matches hosts that need no parser, and besideVariables the rest of others.
	plainHost       = regexp.MustCompile(`^([A-Za-z0-9_.-]*\.)?[A-Za-z][A-Za-z0-9_-]*$`)
	besideVariables = regexp.MustCompile(`^[^\x00-\x20\x7F:<>^|%\[\]]*(:[0-9]*)?$`)
	isDomain        = regexp.MustCompile(`^[^{}]+\.[^{}]|:[0-9]+$`)

	withoutSkipped = strings.NewReplacer("\t", "", "\n", "", "\r", "")
	closing        = map[byte]string{'"': `"`, '\'': "'", '`': "`", '(': ")", '<': ">"}
	defaultPorts   = map[string]string{"http": ":80", "https": ":443", "ws": ":80", "wss": ":443", "ftp": ":21"}
)

// hostFinder collects the hosts of URLs. It reads URLs as clients do, who follow the URL
// Standard of the WHATWG. A URL that cannot be parsed has a hash instead of a host.
type hostFinder struct {
	hosts    []string
	values   map[string]string // of variables, by name
	prefixes []string          // variables with which a URL begins
}

// add adds the hosts in a quoted text. A target is a text that its key calls a URL.
func (f *hostFinder) add(quoted []byte, isTarget bool) {
	hasEntity, hasBackslash := bytes.IndexByte(quoted, '&') >= 0, bytes.IndexByte(quoted, '\\') >= 0
	if !isTarget && !hasEntity && !hasBackslash && bytes.IndexByte(quoted, '/') < 0 && !hasScheme(quoted) {
		return
	}
	text := unquote(quoted)
	if hasEntity {
		text = entity.ReplaceAllStringFunc(text, html.UnescapeString)
	}
	f.addURLs(text)
	if hasBackslash {
		f.addURLs(escape.ReplaceAllStringFunc(text, unescapeCode))
	}
	if isTarget {
		f.addTarget(text)
	}
}

// hasScheme reports whether a quoted text can have a scheme.
func hasScheme(quoted []byte) bool {
	for i := bytes.IndexByte(quoted, ':'); i > 0; {
		if endsScheme(quoted[i-1]) || quoted[i-1] == 't' || quoted[i-1] == 'n' || quoted[i-1] == 'r' { // These can be escapes.
			return true
		}
		next := bytes.IndexByte(quoted[i+1:], ':')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return false
}

func endsScheme(char byte) bool { return strings.IndexByte("psoaPSOA\t\n\r", char) >= 0 }

func unescapeCode(text string) string {
	code, _ := strconv.ParseUint(text[2:], 16, 16) // It is a number.
	return string(rune(code))
}

// addURLs adds the hosts of the URLs in a text. A URL that is the whole text, or is in
// quotes or brackets, can contain any character.
func (f *hostFinder) addURLs(text string) {
	begin := len(text) - len(strings.TrimLeftFunc(text, isControl))
	for i := 0; i < len(text); i++ {
		start, scheme := i, ""
		switch {
		case text[i] == ':' && i > 0 && endsScheme(text[i-1]):
			window := text[max(0, i-maxScheme):i]
			if at := schemeAtEnd.FindStringIndex(window); at != nil {
				start, scheme = i-len(window)+at[0], strings.ToLower(withoutSkipped.Replace(window[at[0]:]))
			}
		case (text[i] == '/' || text[i] == '\\') && (i == begin || strings.IndexByte(beforeURL, text[i-1]) >= 0) && twoSlashes.MatchString(text[i:]):
			scheme = "https" // The scheme is that of the page.
		}
		if scheme == "" {
			continue
		}
		rest, isWhole := strings.TrimPrefix(text[i:], ":"), start == begin
		if start > 0 && closing[text[start-1]] != "" {
			quoted := rest
			if scheme != "data" {
				quoted = rest[:min(len(rest), maxQuoted)]
			}
			if content, _, isClosed := strings.Cut(quoted, closing[text[start-1]]); isClosed {
				rest, isWhole = content, true
			}
		}
		isWord := isWhole || start == 0 || !isAlphanumeric(text[start-1])
		switch {
		case scheme == "data":
			if isWhole && dataURL.MatchString(rest) {
				i += len(rest)
			}
		case escapedSlash.MatchString(rest), !isWord && !strings.HasPrefix(scheme, "http"):
		case scheme == "mailto":
			for _, match := range recipient.FindAllStringSubmatch(recipients.FindString(rest), -1) {
				f.addHost("https", hostInText.FindString(match[1]))
			}
		case isWhole || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, `\`):
			f.addURL(scheme, rest, isWhole)
		}
	}
}

// addURL adds the host of a URL, given what follows its scheme. If that can be more than
// the URL, the host ends as in a sentence.
func (f *hostFinder) addURL(scheme, text string, isWhole bool) {
	inText, after := authority(strings.TrimLeft(text, `/\`), endsInText)
	inText = strings.TrimRight(hostInText.FindString(inText), ".:")
	whole := ""
	if isWhole {
		whole, _ = authority(strings.TrimLeft(withoutSkipped.Replace(strings.TrimFunc(text, isControl)), `/\`), endsInURL)
	}
	switch {
	case !isWhole, nextURL.MatchString(whole), strings.TrimRight(whole, punctuation+".:") == inText,
		inText != "" && strings.HasPrefix(whole, inText) && hostOf(scheme, whole) == "":
		f.addHost(scheme, inText)
		return
	}
	f.addHost(scheme, whole)
	// The text can be a sentence, too. What has no dot, or a colon, can be a password.
	if (strings.HasPrefix(after, " ") || strings.HasPrefix(after, "\n")) && strings.Contains(inText, ".") && !strings.Contains(inText, ":") {
		f.addHost(scheme, inText)
	}
}

// authority returns the host with its port at the beginning of a text, and what follows
// it. A variable can contain any character.
func authority(text string, isEnd func(rune) bool) (host, after string) {
	start := 0
	for i := 0; i < len(text); {
		if text[i] == '{' {
			if variable := firstVariable.FindString(text[i:min(len(text), i+maxInBraces)]); variable != "" {
				i += len(variable)
				continue
			}
		}
		char, size := utf8.DecodeRuneInString(text[i:])
		if isEnd(char) {
			return text[start:i], text[i:]
		}
		i += size
		if char == '@' {
			start = i
		}
	}
	return text[start:], ""
}

func isControl(char rune) bool { return char <= ' ' }
func endsInURL(char rune) bool { return strings.ContainsRune(`/\?#`, char) }
func endsInText(char rune) bool {
	return char <= ' ' || unicode.IsSpace(char) || strings.ContainsRune("/\\?#\"'<>`\x7F", char)
}

func isAlphanumeric(char byte) bool {
	return char >= '0' && char <= '9' || char|' ' >= 'a' && char|' ' <= 'z'
}

// Host returns a host of a URL, with a port, in the form of a Digest's hosts. The scheme can be
// "". A text that is not a host is unchanged.
func Host(scheme, host string) string { return cmp.Or(hostOf(cmp.Or(scheme, "https"), host), host) }

// hostOf returns a host with a port as the standard serializes it, or "" if it is not
// valid. Unicode and variables stay.
func hostOf(scheme, host string) string {
	host = strings.TrimRight(host, ".:")
	if len(host) > maxQuoted {
		return ""
	}
	if rest := variables.ReplaceAllString(host, ""); rest != host {
		if !besideVariables.MatchString(rest) {
			return ""
		}
		return strings.ToLower(strings.TrimSuffix(host, defaultPorts[scheme]))
	}
	if plainHost.MatchString(host) {
		return strings.ToLower(host)
	}
	parsed, err := url.Parse(scheme + "://" + host)
	if err != nil {
		return ""
	}
	name := strings.TrimRight(parsed.Hostname(), ".")
	if strings.IndexFunc(host, func(char rune) bool { return char > unicode.MaxASCII }) >= 0 {
		name, _ = idna.ToUnicode(name) // If it fails, it returns the name.
	}
	if parsed.Port() != "" {
		name += ":" + parsed.Port()
	}
	return name
}

func (f *hostFinder) addHost(scheme, host string) {
	if host == "" {
		return
	}
	f.addPrefix(host)
	f.hosts = append(f.hosts, cmp.Or(hostOf(scheme, host), "unreadable URL (SHA-256 "+oneline.Hash(host)+")"))
}

func (f *hostFinder) addPrefix(host string) {
	if name := strings.Trim(firstVariable.FindString(host), "{} "); name != "" {
		f.prefixes = append(f.prefixes, name)
	}
}

// addTarget adds the host of a URL that can be without a scheme.
func (f *hostFinder) addTarget(text string) {
	host, _ := authority(strings.TrimFunc(text, isControl), endsInURL)
	if isDomain.MatchString(hostOf("https", host)) {
		f.addHost("https", host)
	} else {
		f.addPrefix(host)
	}
}

// sorted returns the hosts as Digest describes them.
func (f *hostFinder) sorted() []string {
	for _, name := range slices.Clone(f.prefixes) {
		f.addTarget(f.values[name])
	}
	sorted := []string{}
	slices.Sort(f.hosts)
	for _, host := range slices.Compact(f.hosts) {
		sorted = append(sorted, oneline.Distinct(host, maxHostLen))
	}
	if len(sorted) > maxHosts { // None may be added unnoticed.
		rest := sorted[maxHosts-1:]
		sorted = append(sorted[:maxHosts-1:maxHosts-1], fmt.Sprintf("and %d more (SHA-256 %s)", len(rest), oneline.Hash(strings.Join(rest, "\n"))))
	}
	return sorted
}

// isURL reports whether a quoted key says that its value is a URL.
func isURL(key []byte) bool {
	return len(key) > len(`url"`) && key[len(key)-2]|' ' == 'l' && bytes.EqualFold(key[len(key)-len(`url"`):], []byte(`url"`))
}
