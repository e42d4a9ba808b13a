// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"cmp"
	"html"
	"maps"
	neturl "net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/nlnwa/whatwg-url/url"
)

// inBraces matches a variable.
const inBraces = `\{\{[^{}]*\}\}|\{[\w.-]*\}`

var (
	// beforeHost matches the scheme, which can be a variable, or what precedes a URL without one.
	beforeHost = regexp.MustCompile(`(?i)^\s*(?:https?|wss?|ftp):[/\\]*|` +
		`(?:[a-z][a-z0-9+.-]*:|\}\}:|^\s*|["'(=]\s*)(?://|\\\\)|mailto:[^\s"'<>@?]+@`)
	userInfo = regexp.MustCompile(`^(?:` + inBraces + `|[^\s\pZ/\\?#"'<>{}])*@`)
	// hostInText ends where a sentence, Markdown, or code goes on.
	hostInText = regexp.MustCompile(`^(?:\[[^\]\s]*\])?(?:` + inBraces + `|[^\s\pZ\pP<>\x60=|]|[.:%_-])*`)
	variables  = regexp.MustCompile(inBraces)
	isDomain   = regexp.MustCompile(`^[^{}]+\.[^{}]|:[0-9]+$|^\[`)
	isFile     = regexp.MustCompile(`(?i)\.(js|json|html?|css|php|xml|ya?ml|csv|txt|pdf|png|jpe?g|gif|svg|webp)$`)

	// urlKey matches a key whose value is a URL or a host, also without a scheme.
	urlKey      = regexp.MustCompile(`(?i)(url|uri|href|host|hostname|endpoint|server|domain|origin|webhook)s?$`)
	dataURL     = regexp.MustCompile(`(?is)^\s*data:.*|"data:[^"]*"|'data:[^']*'|\(data:[^)]*\)|data:[a-z]+/\S*`)
	escapedURL  = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*%3A%2F%2F[\w.%~-]+`)
	escapedJSON = strings.NewReplacer(`\/`, "/", `\u002f`, "/", `\u002F`, "/", `\u003a`, ":", `\u003A`, ":")

	defaultPorts = map[string]string{
		"http":  "80",
		"https": "443",
		"ws":    "80",
		"wss":   "443",
		"ftp":   "21",
	}
)

// hostFinder collects the hosts of URLs as honest authors write them. Others can hide a host
// anyway, because code can build it from parts.
type hostFinder struct {
	names  map[string]bool
	values map[string][]string // of variables that are not found yet, by name and by ID
}

// hosts returns the hosts of the definition, sorted.
func (d Definition) hosts() []string {
	f := &hostFinder{map[string]bool{}, map[string][]string{}}
	for _, v := range d.Member("graph", "memory").Members() {
		for _, key := range []string{"id", "name"} {
			name := stringOf(v.Member(key))
			f.values[name] = append(f.values[name], stringOf(v.Member("value")))
		}
	}
	f.addIn(d.Value, rules, "")
	return append([]string{}, slices.Sorted(maps.Keys(f.names))...)
}

// addIn adds the hosts in a value under a key, and in its keys.
func (f *hostFinder) addIn(v *value, r *rule, key string) {
	if r.noHosts {
		return
	}
	text := stringOf(v)
	f.addText(text)
	if strings.ContainsAny(text, ".:{") && urlKey.MatchString(key) {
		f.addTarget(text)
	}
	for name, member := range v.Members() {
		if v.Kind() == '[' {
			f.addIn(member, cmp.Or(r.elements, noRule), key)
		} else {
			f.addText(name)
			f.addIn(member, r.member(name), name)
		}
	}
}

// addText adds the hosts of the URLs in a text, also of those that are escaped once.
func (f *hostFinder) addText(text string) {
	if !strings.ContainsAny(text, `:/\%&`) { // Most texts have none.
		return
	}
	text = escapedJSON.Replace(html.UnescapeString(dataURL.ReplaceAllString(text, " ")))
	f.addURLs(text)
	for _, escaped := range escapedURL.FindAllString(text, -1) {
		unescaped, _ := neturl.PathUnescape(escaped)
		f.addURLs(unescaped)
	}
}

func (f *hostFinder) addURLs(text string) {
	for _, at := range beforeHost.FindAllStringIndex(text, -1) {
		scheme := strings.Trim(text[at[0]:at[1]], "\"'(=:/\\ \t\r\n")
		f.addHost(strings.ToLower(scheme), text[at[1]:])
	}
}

// addTarget adds the host of a text that can be a URL without a scheme.
func (f *hostFinder) addTarget(text string) {
	if path, _, _ := strings.Cut(text, "?"); !isFile.MatchString(path) {
		f.addHost("", strings.TrimSpace(text))
	}
}

// addHost adds the host of a URL, given what follows its scheme, and the hosts in the values of
// its variables. After an unknown scheme, or without one, it must be a domain. What cannot be
// parsed is named so instead.
func (f *hostFinder) addHost(scheme, rest string) {
	rest = rest[len(userInfo.FindString(rest)):]
	host := strings.TrimRight(hostInText.FindString(rest), ".:")
	name := Host(scheme, host)
	isKnown := defaultPorts[scheme] != "" || scheme == "}}"
	switch {
	case host == "":
	case isKnown && name == "":
		f.names["unreadable URL"] = true
	case isKnown || isDomain.MatchString(name):
		f.names[name] = true
	}
	for _, variable := range variables.FindAllString(host, -1) {
		name := strings.Trim(variable, "{} ")
		values := f.values[name]
		delete(f.values, name)
		for _, value := range values {
			f.addTarget(value)
		}
	}
}

// Host returns a host with a port as the URL Standard of the WHATWG serializes it, or "" if it
// is not valid. The scheme can be "". Variables stay.
func Host(scheme, host string) string {
	if defaultPorts[scheme] == "" {
		scheme = "https"
	}
	if variables.MatchString(host) { // The parser does not know them.
		_, err := url.Parse(scheme + "://x" + variables.ReplaceAllString(host, ""))
		if err != nil {
			return ""
		}
		return strings.ToLower(strings.TrimSuffix(host, ":"+defaultPorts[scheme]))
	}
	parsed, err := url.Parse(scheme + "://" + host)
	if err != nil {
		return ""
	}
	name := strings.TrimRight(parsed.Hostname(), ".")
	return strings.ToLower(name) + strings.TrimPrefix(parsed.Host(), parsed.Hostname())
}
