// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// canonical writes equal values as equal texts.
func (v *property) canonical(text string) string {
	switch v.kind {
	case webURL:
		if strings.Contains(text, "//") {
			return canonicalHost(text)
		}
	case webHost:
		return canonicalHost(text)
	case moment:
		return canonicalTime(text)
	case settings:
		return canonicalSettings("", text)
	case people:
		return canonicalSettings(unordered, text)
	}
	return text
}

// unordered is the path of a list whose order has no meaning. That of other lists may have one.
const unordered = "people"

// canonicalSettings returns the JSON of settings in canonical form, and "" if they have no
// content. Text that is not JSON is unchanged.
func canonicalSettings(path, text string) string {
	value, err := jsonvalue.Parse([]byte(text))
	if err != nil {
		return text
	}
	canonical := rewrite(path, value, canonicalLeaf)
	if slices.Contains([]string{"null", "{}", "[]", `""`}, canonical) {
		return ""
	}
	return canonical
}

// leafWriter returns the JSON of a text, a number, or a literal in settings.
type leafWriter = func(path string, v *jsonvalue.Value) string

// rewrite returns the JSON of settings with other texts, numbers, and literals.
func rewrite(path string, v *jsonvalue.Value, leaf leafWriter) string {
	var parts []string
	for key, member := range v.Members() {
		switch {
		case v.Kind() == '[':
			parts = append(parts, rewrite(path, member, leaf))
		case member.Kind() != 'n': // A service can omit it.
			parts = append(parts, jsonvalue.Quote(key)+":"+rewrite(path+"."+key, member, leaf))
		}
	}
	if path == unordered {
		slices.Sort(parts)
	}
	switch v.Kind() {
	case '{':
		return "{" + strings.Join(parts, ",") + "}"
	case '[':
		return "[" + strings.Join(parts, ",") + "]"
	}
	return leaf(path, v)
}

// canonicalLeaf writes values that a service can respell, such as a host or a time, in one way, so
// that nobody has to accept another spelling.
func canonicalLeaf(path string, v *jsonvalue.Value) string {
	text := v.Text()
	switch {
	case v.Kind() == '0':
		return jsonvalue.Number(text)
	case v.Kind() != '"':
		return v.JSON()
	case secretPath.MatchString(path): // The case of its letters has a meaning.
	case anyEmail.MatchString(text):
		text = strings.ToLower(text)
	case strings.Contains(text, "//"), hostPath.MatchString(path):
		text = canonicalHost(text)
	default:
		text = canonicalTime(text)
	}
	return jsonvalue.Quote(text)
}

// canonicalHost returns a URL, or a host without a scheme, with the host as in external_hosts. Another
// text is unchanged.
func canonicalHost(text string) string {
	scheme := ""
	if !strings.Contains(text, "//") {
		scheme = "https://"
	}
	u, err := url.Parse(scheme + text)
	if err != nil || u.Host == "" {
		return text
	}
	u.Host = cmp.Or(definition.Host(u.Scheme, u.Host), u.Host)
	return strings.TrimPrefix(u.String(), scheme)
}

// canonicalTime returns a moment, or the text if it is none.
func canonicalTime(text string) string {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.UTC().Format(time.RFC3339Nano)
	}
	return text
}
