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

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// describe shows a value in a text about an object, and is "" if there is nothing to tell.
func (v *property) describe(value string) string {
	// An unknown state is told, too, and that an agent is not published.
	isTold := v.isSet(value) || v.change == changedState && (value == "" || v.access == toYes)
	switch {
	case !isTold, v.kind == nameText, v.label == "" && v.access == never:
		return ""
	case v.kind == yesOrNo:
		return v.shown(value)
	}
	return labeled(v.label, v.shown(value))
}

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

// shown shows a value without what can be a secret.
func (v *property) shown(value string) string {
	switch {
	case v.kind == webURL:
		return shownURL(value)
	case v.isList():
		return firstShown("", v.elements("", value))
	case v.kind != yesOrNo:
		return value
	case value == yes:
		return v.label
	case value == no:
		return "not " + v.label
	}
	return v.label + " " + Unknown
}

// difference shows two values of which a change consists, or what differs between them.
func (v *property) difference(old, current string) (before, after string) {
	label := v.label
	isSaid := v.with == "" && strings.HasSuffix(v.change, label) // by the kind of change
	if isSaid || v.kind == yesOrNo {
		label = ""
	}
	if v.isList() {
		before, after = differenceOfLists(label, v.elements(label, old), v.elements(label, current))
	} else {
		before, after = labeled(label, v.shown(old)), labeled(label, v.shown(current))
	}
	if before == after { // The difference is masked.
		after += " (another value)"
	}
	return before, after
}

func (v *property) isList() bool {
	return v.kind == textList || v.kind == settings || v.kind == people
}

// element is an element of a list, or a value in settings, both with its path, such as rules.maxUses.
type element struct{ value, shown string }

// elements are those of a list, or the values in settings.
func (v *property) elements(path, value string) []element {
	if value == "" {
		return nil
	}
	parsed, err := jsonvalue.Parse([]byte(value))
	if err != nil { // Settings that are no JSON are one text.
		parsed, _ = jsonvalue.Parse([]byte(jsonvalue.Quote(value)))
	}
	leaf := shownLeaf
	if v.kind == textList {
		leaf = func(_ string, v *jsonvalue.Value) string { return v.JSON() }
	}
	return elementsIn(path, parsed, leaf)
}

// elementsIn are the values in settings, as leaf shows each of them. Each element of a list is one.
func elementsIn(path string, v *jsonvalue.Value, leaf leafWriter) []element {
	var all []element
	add := func(v *jsonvalue.Value) {
		shown := rewrite(path, v, leaf)
		if plain, err := strconv.Unquote(shown); err == nil {
			shown = cmp.Or(plain, shown)
		}
		prefix := ""
		if path != "" {
			prefix = path + ": "
		}
		all = append(all, element{prefix + v.JSON(), prefix + shown})
	}
	if v.Len() == 0 {
		add(v)
	}
	for key, member := range v.Members() {
		if v.Kind() == '[' {
			add(member)
		} else {
			all = append(all, elementsIn(strings.TrimPrefix(path+"."+key, "."), member, leaf)...)
		}
	}
	return all
}

// Signs of what only one of two lists has.
const goneSign, newSign = "− ", "+ "

// differenceOfLists shows what only one of two lists has. A single value that changed needs no sign.
func differenceOfLists(path string, before, after []element) (was, is string) {
	lost, added := without(before, after), without(after, before)
	switch {
	case len(lost)+len(added) == 0:
		return "", strings.TrimSpace(path + " in another order")
	case len(lost) == 1 && len(added) == 1:
		return lost[0].shown, added[0].shown
	}
	return firstShown(goneSign, lost), firstShown(newSign, added)
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
		texts = append(texts, sign+e.shown)
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

var (
	// secretPath matches the path of a setting that can be a secret of digits, such as a PIN.
	secretPath = regexp.MustCompile(`(?i)(pin|code|otp|pass|password|passphrase|pwd|secret|token|key)s?(\.|$)`)
	// hostPath matches the path of a setting that can be a host, and userPath of a user's ID, as
	// the API calls it in tenancy.workspace.members.
	hostPath = regexp.MustCompile(`(?i)(host|domain|origin|site|url|uri)[^.]*$`)
	userPath = regexp.MustCompile(`(^|\.)userId$`)
	anyHost  = regexp.MustCompile(`(?i)^(localhost|(\*\.)?[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+)(:[0-9]+)?$`)
	anyTime  = regexp.MustCompile(`^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$`)
	anyEmail = regexp.MustCompile(`(?i)^[^\s/:@]+@[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$`)
)

// states are words for states, roles, and people in general.
var states = strings.Fields(`true false yes no on off none null all any
	allow allowed deny denied block blocked enabled disabled active inactive
	public private internal restricted open closed locked unlocked read write edit view
	admin owner editor viewer member guest user anyone everyone nobody anonymous authenticated
	link invite email domain workspace required optional always never *`)

// shownLeaf shows a value in settings. Their shape is undocumented, so any text in them can be a
// secret. What is shown cannot be one.
func shownLeaf(path string, v *jsonvalue.Value) string {
	text := v.Text()
	switch {
	case v.Kind() != '"' && v.Kind() != '0',
		text == "",
		slices.Contains(states, strings.ToLower(text)):
		return v.JSON()
	case secretPath.MatchString(path), v.Kind() == '0' && len(text) > maxDigits:
		return jsonvalue.Quote(mask)
	case v.Kind() == '0',
		anyEmail.MatchString(text),
		userPath.MatchString(path),
		hostPath.MatchString(path) && anyHost.MatchString(text),
		anyTime.MatchString(text):
		return v.JSON()
	}
	if u, err := url.Parse(text); err == nil && anyHost.MatchString(u.Host) {
		return jsonvalue.Quote(u.Host)
	}
	return jsonvalue.Quote(mask)
}
