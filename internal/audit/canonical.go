// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
	"github.com/convo/terraform-provider-convo/internal/redact"
)

// Canonical returns the agent with one spelling of each value, so that equal values are
// equal texts, in any order. What has no content is nil, because a service can omit it. The
// earlier agent is canonical.
func (a RecordedAgent) Canonical(earlier RecordedAgent) RecordedAgent {
	for _, v := range []struct {
		form    func(string) string
		value   **string
		earlier *string
	}{
		{canonicalURL, &a.URL, earlier.URL},
		{canonicalHost, &a.Domain, earlier.Domain},
		{nil, &a.DomainID, earlier.DomainID},
		{nil, &a.PublicID, earlier.PublicID},
		{nil, &a.CredentialsRef, earlier.CredentialsRef},
		{canonicalTime, &a.PublishedAt, earlier.PublishedAt},
		{canonicalSettings, &a.ShareRules, earlier.ShareRules},
		{canonicalSettings, &a.Security, earlier.Security},
		{canonicalCollaborators, &a.Collaborators, earlier.Collaborators},
	} {
		switch text := valueOf(*v.value); {
		case text == valueOf(v.earlier): // Most texts are equal, and need no parsing.
			*v.value = v.earlier
		case v.form != nil:
			text = v.form(text)
			fallthrough
		default:
			if *v.value = &text; text == "" {
				*v.value = nil
			}
		}
	}
	a.Labels = slices.SortedFunc(slices.Values(a.Labels), func(x, y *string) int { return strings.Compare(valueOf(x), valueOf(y)) })
	return a
}

func canonicalSettings(text string) string      { return canonicalJSON("", text) }
func canonicalCollaborators(text string) string { return canonicalJSON(collaborators, text) }

// collaborators is the name of a list of objects whose order has no meaning.
const collaborators = "collaborators"

// canonicalJSON returns the JSON of a setting in canonical form, and "" if it has no content.
// Text that is not JSON is unchanged.
func canonicalJSON(name, text string) string {
	value, err := jsonvalue.Canonical([]byte(text))
	if err != nil {
		return text
	}
	canonical := rewrite(name, false, value, canonicalLeaf)
	if slices.Contains([]string{"null", "{}", "[]", `""`}, canonical) {
		return ""
	}
	return canonical
}

// rewrite returns the JSON of a setting with other texts, numbers, and literals. Lists of them
// are sorted. Everything in a secret is secret.
func rewrite(name string, isSecret bool, v jsonvalue.Value, leaf func(name string, isSecret bool, v jsonvalue.Value) string) string {
	var parts []string
	switch v.Kind() {
	case '{':
		for name, member := range v.Members() {
			if member.Kind() != 'n' { // A service can omit it.
				parts = append(parts, jsonvalue.Quote(name)+":"+rewrite(name, isSecret || isSecretMember(v, name), member, leaf))
			}
		}
		return "{" + strings.Join(parts, ",") + "}"
	case '[':
		isSorted := true
		for _, element := range v.Members() {
			parts = append(parts, rewrite(name, isSecret, element, leaf))
			isSorted = isSorted && (element.Kind() != '{' && element.Kind() != '[' || name == collaborators)
		}
		if isSorted {
			slices.Sort(parts)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return leaf(name, isSecret, v)
}

// isSecretMember reports whether an object has a secret as a member: by its name, or as the value
// of a setting or header that another member names.
func isSecretMember(object jsonvalue.Value, name string) bool {
	if strings.EqualFold(name, "value") {
		for other, member := range object.Members() {
			if slices.Contains([]string{"name", "key", "header"}, strings.ToLower(other)) && redact.IsSecretName(member.Text()) {
				return true
			}
		}
	}
	return redact.IsSecretName(name)
}

var (
	hostName  = regexp.MustCompile(`(?i)(host|domain|origin)(name|pattern|_?(allow|white|block|deny)?_?list)?s?$`)
	email     = regexp.MustCompile(`^(?:(?i)mailto:)?[^\s/:@]+@[^\s/:@]+$`)
	authority = regexp.MustCompile(`(?s)^((?:[A-Za-z][A-Za-z0-9+.-]*:)?//)([^/\\?#]*@)?([^/\\?#]*)(.*)$`)
)

func canonicalLeaf(name string, isSecret bool, v jsonvalue.Value) string {
	text := v.Text()
	switch {
	case v.Kind() == '0':
		return canonicalNumber(text)
	case v.Kind() != '"':
		return v.JSON()
	case isSecret:
	case email.MatchString(text):
		text = lower(text)
	case authority.MatchString(text):
		text = canonicalURL(text)
	case hostName.MatchString(name):
		text = canonicalHost(text)
	default:
		text = canonicalTime(text)
	}
	return jsonvalue.Quote(text)
}

// maxExponent is the largest exponent of a number that is written without it.
const maxExponent = 30

func canonicalNumber(number string) string {
	canonical := string(jsonvalue.AppendNumber(nil, number))
	_, exponent, _ := strings.Cut(canonical, "e")
	if size, err := strconv.Atoi(strings.TrimPrefix(exponent, "-")); err != nil || size > maxExponent {
		return canonical
	}
	value, _ := new(big.Rat).SetString(canonical) // It is a number.
	digits, _ := value.FloatPrec()
	return value.FloatString(digits)
}

// canonicalURL returns a URL with the host as in external_hosts. Without a scheme, a text can be
// a path.
func canonicalURL(text string) string {
	parts := authority.FindStringSubmatch(text)
	if parts == nil {
		return text
	}
	scheme := strings.ToLower(parts[1])
	return scheme + parts[2] + definition.Host(strings.TrimRight(scheme, ":/"), parts[3]) + parts[4]
}

// canonicalHost is canonicalURL for a text that can be a host without a scheme.
func canonicalHost(text string) string {
	if authority.MatchString(text) {
		return canonicalURL(text)
	}
	return strings.TrimPrefix(canonicalURL("https://"+text), "https://")
}

// canonicalTime returns a moment, or the text if it is none.
func canonicalTime(text string) string {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07"} { // ISO 8601 allows shorter offsets.
		if moment, err := time.Parse(layout, strings.ToUpper(text)); err == nil {
			return moment.UTC().Format(time.RFC3339Nano)
		}
	}
	return text
}

// lower returns an email address in lower case. Letters that others share their lower case
// with are unchanged, because they are different mailboxes.
func lower(address string) string {
	return strings.Map(func(letter rune) rune {
		if small := unicode.ToLower(letter); unicode.ToUpper(small) == letter {
			return small
		}
		return letter
	}, address)
}
