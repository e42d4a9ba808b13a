// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// part is what a change shows of a value before and now. It is empty if the value is the same.
type part struct{ before, after string }

// labeled is a text with a label, or alone if it needs none.
func labeled(label, text string) string {
	switch {
	case label == "":
		return cmp.Or(text, "none")
	case text == "":
		return "no " + label
	}
	return label + " " + text
}

// element is an element of a list, or a value in settings.
type element struct {
	path  string // of the setting, such as rules.maxUses
	value string // in canonical form
	shown string
}

func (e element) String() string {
	if e.path == "" {
		return e.shown
	}
	return e.path + ": " + e.shown
}

// elementsIn are the elements of a list, or the values in settings, as leaf shows each of them. A
// list in an object is a value for each element.
func elementsIn(path, value string, leaf leafWriter) []element {
	if value == "" {
		return nil
	}
	parsed, err := jsonvalue.Parse([]byte(value))
	if err != nil {
		return []element{{path: path, value: value, shown: mask}}
	}
	var all []element
	add := func(path string, v *jsonvalue.Value) {
		shown := rewrite(path, v, leaf)
		if plain, err := strconv.Unquote(shown); err == nil {
			shown = cmp.Or(plain, shown)
		}
		all = append(all, element{path: path, value: v.JSON(), shown: shown})
	}
	var addAll func(path string, v *jsonvalue.Value)
	addAll = func(path string, v *jsonvalue.Value) {
		if v.Len() == 0 {
			add(path, v)
		}
		for key, member := range v.Members() {
			if v.Kind() == '[' {
				add(path, member)
			} else {
				addAll(strings.TrimPrefix(path+"."+key, "."), member)
			}
		}
	}
	addAll(path, parsed)
	return all
}

// Signs of what only one of two lists has.
const gone, added = "− ", "+ "

// difference shows what only one of two lists has. A single value that changed needs no sign.
func difference(path string, before, after []element) part {
	was, is := without(before, after), without(after, before)
	switch {
	case len(was)+len(is) == 0:
		return part{after: strings.TrimSpace(path + " in another order")}
	case len(was) == 1 && len(is) == 1:
		return part{was[0].String(), is[0].String()}
	}
	return part{firstShown(gone, was), firstShown(added, is)}
}

// without returns the elements of a list that another list does not have, or has fewer times.
func without(all, others []element) []element {
	count := map[element]int{}
	for _, e := range others {
		count[e]++
	}
	var rest []element
	for _, e := range all {
		count[e]--
		if count[e] < 0 {
			rest = append(rest, e)
		}
	}
	return rest
}

// firstShown shows the first elements, each with a sign.
func firstShown(sign string, all []element) string {
	var texts []string
	for _, e := range all {
		texts = append(texts, sign+e.String())
	}
	return oneline.List(texts, maxParts)
}

// maxDigits is the maximum number of characters of a number that is no secret.
const maxDigits = 15

// mask stands for what can be a secret. Plans and reports show no hash of it, with which
// anybody could test guesses.
const mask = "***"

// shownURL shows a URL without the user and the query.
func shownURL(value string) string {
	u, err := url.Parse(value)
	if err != nil {
		return mask
	}
	if u.RawQuery != "" {
		u.RawQuery = mask
	}
	u.User, u.Fragment = nil, ""
	return u.String()
}

// shownLeaf shows a value in settings. Their shape is undocumented, so any text in them can be a
// secret. What is shown cannot be one.
func shownLeaf(path string, v *jsonvalue.Value) string {
	text := v.Text()
	switch v.Kind() {
	case '0':
		if len(text) > maxDigits || secretPath.MatchString(path) {
			return jsonvalue.Quote(mask)
		}
		return text
	case '"':
		return jsonvalue.Quote(shownSetting(path, text))
	}
	return v.JSON()
}

var (
	// secretPath matches the path of a setting that can be a secret of digits, such as a PIN.
	secretPath = regexp.MustCompile(`(?i)(pin|code|otp|pass|password|passphrase|pwd|secret|token|key)s?(\.|$)`)
	// hostPath matches the path of a setting that can be a host, and userPath of a user's ID, as
	// the API calls it in tenancy.workspace.members.
	hostPath = regexp.MustCompile(`(?i)(host|domain|origin|site|url|uri)[^.]*$`)
	userPath = regexp.MustCompile(`(^|\.)userId$`)
	host     = regexp.MustCompile(`(?i)^(localhost|(\*\.)?[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+)(:[0-9]+)?$`)
	email    = regexp.MustCompile(`(?i)^[^\s/:@]+@[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$`)
)

// states are words for states, roles, and people in general.
var states = strings.Fields(`true false yes no on off none null all any
	allow allowed deny denied block blocked enabled disabled active inactive
	public private internal restricted open closed locked unlocked read write edit view
	admin owner editor viewer member guest user anyone everyone nobody anonymous authenticated
	link invite email domain workspace required optional always never *`)

func shownSetting(path, text string) string {
	switch {
	case text == "",
		slices.Contains(states, strings.ToLower(text)):
		return text
	case secretPath.MatchString(path):
		return mask
	case email.MatchString(text),
		userPath.MatchString(path),
		hostPath.MatchString(path) && host.MatchString(text),
		isTime(text):
		return text
	}
	u, err := url.Parse(text)
	if err == nil && host.MatchString(u.Host) {
		return u.Host
	}
	return mask
}

// isTime reports whether a text is a time in the API's form, or a date.
func isTime(text string) bool {
	_, err := time.Parse(time.RFC3339, text)
	if err != nil {
		_, err = time.Parse(time.DateOnly, text)
	}
	return err == nil
}
