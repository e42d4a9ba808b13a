// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	neturl "net/url"
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
	maxHostLen  = 253  // length of the longest name in the DNS
	maxQuoted   = 1024 // length of the longest host, and of what is read of a URL in quotes
	maxInBraces = 200  // length of the longest variable in a host
	maxNested   = 3    // how often URLs are read in the queries of others

	inBraces    = `\{\{[^{}]*\}\}|\{[^{}/\s"':,]*\}`
	punctuation = ",;!*|&=()}[]“”„‘’«»‹›…—，、；：！？（）【】《》「」" // It ends a host in a sentence or Markdown.
	openings    = "\"'`(<"
	closings    = "\"'`)>"
)

// urlKeys are the ends of keys whose values are URLs or hosts, also without a scheme, by their
// last letter.
var urlKeys = [256][]string{'l': {"url"}, 'i': {"uri"}, 'f': {"href"}, 't': {"host", "endpoint"}, 'e': {"hostname"}, 'r': {"server"}, 'n': {"domain", "origin"}, 'k': {"webhook"}}

// schemes are those after which clients need no slashes, or that have no host.
var schemes = []string{"https", "http", "wss", "ws", "ftp", "mailto", "data"}

var (
	// svgStart matches the start of an SVG image in a data URL after "data:", and svgEnd its end.
	svgStart   = regexp.MustCompile(`(?i)^image/svg[\w.+;=-]*,\s*(?:<|%3c)(?:svg|[?!])`)
	svgEnd     = regexp.MustCompile(`(?i)^[^>]*?/(?:>|%3e)|(?:<|%3c)/svg`)
	recipients = regexp.MustCompile("^[^:\"'<>`\\s]*")
	recipient  = regexp.MustCompile(`(?:@|%40)([^@%,;&?]+)`)
	nextURL    = regexp.MustCompile(`(?i)(https?|wss|ftp|(^|[^\w.-])ws):$`) // .ws and .news are domains.
	beforeURL  = regexp.MustCompile(`(=\s?|\]:\s)$`)                        // also if no slashes are in the URL
	// These match characters as JSON, code and CSS, and URLs can write them.
	codeEscape   = regexp.MustCompile(`\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]{1,6}\}|\\x[0-9a-fA-F]{2}|\\[tnr]|\\[0-9a-fA-F]{2,6}\s?`)
	urlEscape    = regexp.MustCompile(`(?:%[0-9a-fA-F]{2})+`)
	escapedURL   = regexp.MustCompile(`(?i)%(?:25)*(?:3a|2f%(?:25)*2f|2[27]//)`) // A password can have other escapes.
	escapedSlash = regexp.MustCompile(`(?i)^\\(u00|x|u\{0*)2f`)

	twoSlashes     = regexp.MustCompile(`^.[\t\n\r]*[/\\]`)
	variables      = regexp.MustCompile(inBraces)
	firstVariable  = regexp.MustCompile(`^(?:` + inBraces + `)`)
	hostInText     = regexp.MustCompile(`^(\[[0-9A-Fa-f:.%]+\])?(?:` + inBraces + `|[^` + regexp.QuoteMeta(punctuation) + `])*`)
	hostAndPort    = regexp.MustCompile(`^([^\x00-\x20\x7F\pZ#%/:<>?@[\\\]^|]+)(:(?:{}|[0-9])*)?$`) // with variables, which are {}
	isDomain       = regexp.MustCompile(`^[^{}]+\.[^{}]|:[0-9]+$|^\[`)
	isFileOrNumber = regexp.MustCompile(`(?i)\.(js|json|html?|css|php|xml|ya?ml|csv|txt|pdf|png|jpe?g|gif|svg|webp)$|^[0-9]{1,7}$`) // 1.2.3 can be an address.

	withoutSkipped = strings.NewReplacer("\t", "", "\n", "", "\r", "")
	defaultPorts   = map[string]string{"http": ":80", "https": ":443", "ws": ":80", "wss": ":443", "ftp": ":21"}
)

// hostFinder collects the hosts of URLs. It reads URLs as clients do, who follow the URL
// Standard of the WHATWG. A URL that cannot be parsed has a hash instead of a host.
type hostFinder struct {
	hosts  []string
	values map[string][]string // of variables, by name and by ID
	used   map[string]bool     // names and IDs of variables in hosts
}

// hosts returns the hosts of the definition.
func (d Definition) hosts() []string {
	f := &hostFinder{values: map[string][]string{}, used: map[string]bool{}}
	for _, variable := range d.Member("graph", "memory").Members() {
		for _, key := range []string{"id", "name"} {
			if name := stringOf(variable.Member(key)); name != "" {
				f.values[name] = append(f.values[name], stringOf(variable.Member("value")))
			}
		}
	}
	f.addHostsIn(d.value, rules, false)
	return f.sorted()
}

// addHostsIn adds the hosts in a value and in its keys. A target is a URL that can be without
// a scheme.
func (f *hostFinder) addHostsIn(v *value, r *rule, isTarget bool) {
	if r.noHosts {
		return
	}
	if v.Kind() == '"' {
		f.add(v.Text())
		if isTarget {
			f.addTarget(html.UnescapeString(v.Text()))
		}
	}
	for key, member := range v.Members() {
		if v.Kind() == '[' {
			f.addHostsIn(member, cmp.Or(r.elements, noRule), isTarget)
		} else {
			f.add(key)
			f.addHostsIn(member, r.member(key), isURL(`"`+key+`"`))
		}
	}
}

// add adds the hosts in a text, also if that is escaped once, or is a URL in the queries of others.
func (f *hostFinder) add(text string) {
	if !strings.ContainsAny(text, `:/\&%`) {
		return
	}
	if unescaped := html.UnescapeString(text); unescaped != text {
		f.addURLs(text)
		text = unescaped
	}
	f.addURLs(text)
	if strings.Contains(text, `\`) && codeEscape.MatchString(text) {
		f.addURLs(codeEscape.ReplaceAllStringFunc(text, unescapeOne))
	}
	for range maxNested {
		if !strings.Contains(text, "%") || !escapedURL.MatchString(text) {
			break
		}
		text = urlEscape.ReplaceAllStringFunc(text, unescapeOne)
		f.addURLs(text)
	}
}

func unescapeOne(escaped string) string {
	if escaped[0] == '%' {
		text, _ := neturl.PathUnescape(escaped) // It is correct.
		return text
	}
	if len(escaped) == 2 {
		return "\t" // Clients skip tabs and line breaks alike.
	}
	code, _ := strconv.ParseUint(strings.Trim(escaped[1:], "ux{} \t\n\f\r"), 16, 32)
	return string(rune(code)) //nolint:gosec // It has at most 6 digits.
}

// addURLs adds the hosts of the URLs in a text. A URL that is the whole text, or is in
// quotes or brackets, can contain any character.
func (f *hostFinder) addURLs(text string) {
	begin := len(text) - len(strings.TrimLeftFunc(text, isControl))
	isClosed := true             // whether SVG images have an end
	next := [len(openings)]int{} // place of each next closing character
	for i := 0; i < len(text); i++ {
		start, scheme := i, ""
		switch {
		case text[i] == ':':
			start, scheme = schemeBefore(text, i)
		case isSlash(text[i]) && twoSlashes.MatchString(text[i:]):
			// The scheme is that of the page.
			before := strings.TrimRightFunc(text[:i], unicode.IsSpace)
			switch {
			case i == begin || before == text[:i] && strings.IndexByte(openings+"=", text[i-1]) >= 0:
				scheme = "https"
			case before != "" && (before != text[:i] || text[i-1] == ',') && strings.IndexByte(openings+"=,:", before[len(before)-1]) >= 0:
				scheme = "x" // It can also be a comment, so that only a domain counts.
			}
		}
		if scheme == "" {
			continue
		}
		rest, isWhole := strings.TrimPrefix(text[i:], ":"), start == begin
		if start > 0 {
			if opening := strings.IndexByte(openings, text[start-1]); opening >= 0 {
				from := len(text) - len(rest)
				if end := &next[opening]; *end < from {
					if *end = strings.IndexByte(rest, closings[opening]) + from; *end < from {
						*end = len(text)
					}
				}
				if end := next[opening]; end < len(text) {
					rest, isWhole = rest[:min(end-from, maxQuoted)], true
				}
			}
		}
		switch {
		case scheme == "data":
			if start := svgStart.FindString(text[i+1:]); start != "" && isClosed {
				end := svgEnd.FindStringIndex(text[i+1+len(start):])
				if isClosed = end != nil; isClosed {
					i += len(start) + end[1]
				}
			}
		case escapedSlash.MatchString(rest):
		case scheme == "mailto":
			for _, match := range recipient.FindAllStringSubmatch(recipients.FindString(rest), -1) {
				f.addHost("https", hostInText.FindString(match[1]))
			}
		case isWhole || rest != "" && isSlash(rest[0]) || !strings.HasPrefix(rest, "%") && beforeURL.MatchString(text[max(0, start-3):start]):
			f.addURL(scheme, rest, isWhole)
		}
	}
}

// schemeBefore returns the scheme before a colon, and where it begins. Clients skip tabs and
// line breaks in it. A scheme that is not in schemes requires slashes behind it.
func schemeBefore(text string, colon int) (start int, scheme string) {
	for _, scheme := range schemes {
		start, rest := colon, scheme
		for start > 0 && rest != "" && (strings.IndexByte("\t\n\r", text[start-1]) >= 0 || text[start-1]|' ' == rest[len(rest)-1]) {
			start--
			rest = strings.TrimSuffix(rest, strings.ToLower(text[start:start+1]))
		}
		if rest == "" && (start == 0 || scheme[0] == 'h' || !isAlphanumeric(text[start-1])) {
			return start, scheme
		}
	}
	if !strings.HasPrefix(text[colon:], "://") {
		return colon, ""
	}
	if colon > 0 && text[colon-1] == '}' { // It is a variable.
		return colon, "https"
	}
	for start = colon; start > 0 && (isAlphanumeric(text[start-1]) || strings.IndexByte("+-.", text[start-1]) >= 0); {
		start--
	}
	return start, strings.ToLower(text[start:colon])
}

// addURL adds the host of a URL, given what follows its scheme. If that can be more than
// the URL, the host ends as in a sentence.
func (f *hostFinder) addURL(scheme, text string, isWhole bool) {
	rest := strings.TrimLeft(text, `/\`)
	isCut := isWhole && len(text) == maxQuoted && !strings.ContainsAny(rest, `/\?#`)
	if isCut {
		f.addUnreadable(rest) // The host can continue.
		if isWhole = false; !isSlash(text[0]) {
			return
		}
	}
	inText, after := authority(rest[:min(len(rest), maxQuoted+1)], endsInText)
	window := after[:min(len(after), maxHostLen)] // Clients that do not follow the standard read on after a backslash.
	if other, end := authority(window, func(char rune) bool { return char != '\\' && endsInText(char) }); len(window) == maxHostLen && end == "" {
		f.addUnreadable(other) // The host can continue.
	} else if !strings.HasPrefix(other, `\`) {
		f.addHost(scheme, other)
	}
	if strings.IndexFunc(inText, isPunctuation) >= 0 {
		inText = hostInText.FindString(inText)
	}
	inText = strings.TrimRight(inText, ".:")
	whole := ""
	if isWhole {
		whole, _ = authority(strings.TrimLeft(withoutSkipped.Replace(strings.TrimFunc(text, isControl)), `/\`), endsInURL)
	}
	switch {
	case isCut && after == "":
	case !isWhole, strings.HasSuffix(whole, ":") && nextURL.MatchString(whole), strings.TrimRight(whole, punctuation+".:") == inText,
		inText != "" && strings.HasPrefix(whole, inText) && hostOf(scheme, whole) == "":
		f.addHost(scheme, inText)
		return
	default:
		f.addHost(scheme, whole)
	}
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

func isSlash(char byte) bool       { return char == '/' || char == '\\' }
func isControl(char rune) bool     { return char <= ' ' || unicode.IsSpace(char) || char == '\uFEFF' }
func isPunctuation(char rune) bool { return strings.ContainsRune(punctuation, char) }
func endsInURL(char rune) bool     { return strings.ContainsRune(`/\?#`, char) }
func endsInText(char rune) bool {
	return char <= ' ' || unicode.IsSpace(char) || strings.ContainsRune("/\\?#\"'<>`\x7F", char)
}

func isAlphanumeric(char byte) bool {
	return char >= '0' && char <= '9' || char|' ' >= 'a' && char|' ' <= 'z'
}

// Host returns a host of a URL, with a port, in the form of a Digest's hosts. The scheme can be
// "". A text that is not a host is unchanged.
func Host(scheme, host string) string { return cmp.Or(hostOf(scheme, host), host) }

// hostOf returns a host with a port as the standard serializes it, or "" if it is not
// valid. Variables stay.
func hostOf(scheme, host string) string {
	host = strings.TrimRight(host, ".:")
	scheme = cmp.Or(scheme, "https")
	if len(host) > maxQuoted {
		return ""
	}
	lower := strings.ToLower(host)
	if last := lower[strings.LastIndexByte(lower, '.')+1:]; last != "" && last[0] >= 'a' && len(lower) == len(host) && strings.Trim(lower, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == "" {
		return lower // It needs no parser.
	}
	names := variables.FindAllString(lower, -1)
	if names == nil {
		if parsed, err := url.Parse(scheme + "://" + host); err == nil {
			return strings.ToLower(strings.TrimRight(parsed.Hostname(), ".")) + strings.TrimPrefix(parsed.Host(), parsed.Hostname())
		}
	}
	// The parser rejects variables, and in a Unicode host characters that clients accept.
	unescaped, _ := neturl.PathUnescape(variables.ReplaceAllString(host, "{}"))
	parts := hostAndPort.FindStringSubmatch(unescaped)
	if parts == nil {
		return ""
	}
	ascii, _ := idna.Lookup.ToASCII(parts[1])
	if !hostAndPort.MatchString(ascii) || names == nil && ascii == strings.ToLower(parts[1]) {
		return ""
	}
	name, rest := "", ascii+strings.TrimSuffix(parts[2], defaultPorts[scheme])
	for _, variable := range names {
		before, after, _ := strings.Cut(rest, "{}")
		name, rest = name+before+variable, after
	}
	return name + rest
}

// addHost adds a host. After an unknown scheme, or without one, it must be a domain.
func (f *hostFinder) addHost(scheme, host string) {
	if host == "" {
		return
	}
	if strings.Contains(host, "{") {
		for _, variable := range variables.FindAllString(host, -1) {
			f.used[strings.Trim(variable, "{} ")] = true
		}
	}
	switch name := hostOf(scheme, host); {
	case defaultPorts[scheme] != "" && name == "":
		f.addUnreadable(host)
	case defaultPorts[scheme] != "" || isDomain.MatchString(name):
		f.hosts = append(f.hosts, name)
	}
}

func (f *hostFinder) addUnreadable(host string) {
	f.hosts = append(f.hosts, "unreadable URL (SHA-256 "+oneline.Hash(host)+")")
}

// addTarget adds the host of a URL that can be without a scheme.
func (f *hostFinder) addTarget(text string) {
	if host, _ := authority(strings.TrimFunc(text, isControl), func(char rune) bool { return char != '\\' && endsInURL(char) }); host != "" && !isFileOrNumber.MatchString(host) {
		f.addURL("", text, true)
	}
}

// sorted returns the hosts as Digest describes them.
func (f *hostFinder) sorted() []string {
	for name := range maps.Clone(f.used) {
		for _, value := range f.values[name] {
			f.addTarget(value)
		}
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

// isURL reports whether a quoted key, which can be plural, says that its value is a URL or a host.
func isURL(key string) bool {
	end := len(key) - 1
	if end > 1 && key[end-1]|' ' == 's' {
		end--
	}
	return slices.ContainsFunc(urlKeys[key[end-1]|' '], func(name string) bool { return end > len(name) && strings.EqualFold(key[end-len(name):end], name) })
}
