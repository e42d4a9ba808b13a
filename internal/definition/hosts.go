// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/nlnwa/whatwg-url/url"
)

// hostPattern matches a host with a port, up to where a sentence, Markdown, or code goes on.
const hostPattern = `((?:\[[^\]\s]*\])?(?:[^\s\pZ\pP<>\x60=|]|[.:%_{-])*)`

var (
	// urlInText matches a URL up to its host, with a scheme or without, and with slashes as in
	// JSON.
	urlInText = regexp.MustCompile(`(?i)(?:(?:([a-z][a-z0-9+.-]*):|^\s*|["'(=]\s*)(?:\\?/){2}` +
		`(?:[^\s\pZ/?#"'<>]*@)?|mailto:[^\s"'<>@?]+@)` + hostPattern)
	dataURL = regexp.MustCompile(`(?is)^\s*data:.*|"data:[^"]*"|'data:[^']*'|\(data:[^)]*\)|data:[a-z]+/\S*`)

	// urlKey matches a key whose value is a URL or a host, also without slashes.
	urlKey = regexp.MustCompile(`(?i)(url|uri|href|host|hostname|endpoint|server|domain|origin|webhook)s?$`)
	atHost = regexp.MustCompile(`^\s*` + hostPattern)

	// isPublic matches a host that is more than a word, and contains no variable.
	isPublic = regexp.MustCompile(`^(?:[^{]+\.[^{]+|[^{]+:[0-9]+|\[.*)$`)
)

// hostSet has the hosts of URLs as honest authors write them. Others can hide a host anyway,
// because code can build it from parts.
type hostSet map[string]bool

// hosts returns the hosts of the definition, sorted.
func (d Definition) hosts() []string {
	found := hostSet{}
	found.addIn(d.Value, root, "")
	return append([]string{}, slices.Sorted(maps.Keys(found))...)
}

// addIn adds the hosts in a value under a key, and in its keys.
func (h hostSet) addIn(v value, s *shape, key string) {
	if s.part == omitted && len(s.members) == 0 {
		return
	}
	text := v.Text()
	h.addText(text)
	if strings.ContainsAny(text, ".:") && urlKey.MatchString(key) {
		h.add("", atHost.FindStringSubmatch(text)[1])
	}
	for name, member := range v.Members() {
		if v.Kind() == '[' {
			h.addIn(member, cmp.Or(s.elements, plain), key)
		} else {
			h.addText(name)
			h.addIn(member, s.member(name), name)
		}
	}
}

// addText adds the hosts of the URLs in a text.
func (h hostSet) addText(text string) {
	if !strings.ContainsAny(text, ":/") { // Most texts have none.
		return
	}
	if strings.Contains(strings.ToLower(text), "data:") { // Replacing takes time.
		text = dataURL.ReplaceAllString(text, " ")
	}
	for _, match := range urlInText.FindAllStringSubmatch(text, -1) {
		h.add(match[1], match[2])
	}
}

func (h hostSet) add(scheme, text string) {
	host := Host(scheme, strings.TrimRight(text, ".:"))
	if isPublic.MatchString(host) {
		h[host] = true
	}
}

// Host returns a host with a port as the URL Standard of the WHATWG serializes it, or "" if it
// is not valid. The scheme can be "".
func Host(scheme, host string) string {
	parsed, err := url.Parse(cmp.Or(scheme, "https") + "://" + host)
	if err != nil {
		return ""
	}
	name := strings.TrimRight(parsed.Hostname(), ".")
	return strings.ToLower(name) + strings.TrimPrefix(parsed.Host(), parsed.Hostname())
}
