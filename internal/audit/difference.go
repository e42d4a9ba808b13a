// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// part is a value of an object before and now, as a change shows it, without secrets. It is
// empty if the value is the same.
type part struct{ before, after string }

// valuePart is the part of a text with a label, or "" if it needs none.
func valuePart(label, before, after string) part {
	if before == after {
		return part{}
	}
	return part{labeled(label, shown(before)), labeled(label, shown(after))}
}

func labeled(label, text string) string {
	switch {
	case label == "":
		return cmp.Or(text, "none")
	case text == "":
		return "no " + label
	}
	return label + " " + text
}

// value is an element of a list, or a value in JSON.
type value struct {
	path string // of the setting, such as rules.maxUses
	raw  string
	text string // without secrets
}

// listPart is the part of two lists or settings: only what is gone and what is new. A setting
// that has one value in both is its path and this value. Everything else has a sign.
func listPart(before, after []value) part {
	if slices.Equal(before, after) {
		return part{}
	}
	more, paths := map[value]int{}, [2]map[string]int{{}, {}}
	for _, v := range before {
		more[v]--
		paths[0][v.path]++
	}
	for _, v := range after {
		more[v]++
		paths[1][v.path]++
	}
	different := func(list []value, sign string, one int) string {
		var texts, signed []string
		for _, v := range list {
			switch {
			case more[v]*one <= 0:
				continue
			case paths[0][v.path] == 1 && paths[1][v.path] == 1:
				texts = append(texts, v.String())
			default:
				signed = append(signed, sign+v.String())
			}
			more[v] -= one
		}
		return joined(append(texts, signed...))
	}
	return part{different(before, gone, -1), different(after, added, 1)}
}

// gone and added are the signs of what only one of two lists has.
const gone, added = "− ", "+ "

// settingsPart is listPart of two JSON texts. Without a difference of values, lists in them
// are in another order.
func settingsPart(path string, before, after *string) part {
	if valueOf(before) == valueOf(after) {
		return part{}
	}
	p := listPart(settings(path, before), settings(path, after))
	if p == (part{}) {
		p.after = strings.TrimSpace(path + " in another order")
	}
	return p
}

func (v value) String() string {
	if v.path == "" {
		return v.text
	}
	return v.path + ": " + v.text
}

// joined joins the first texts, and says how many are left out.
func joined(texts []string) string { return strings.Join(oneline.First(texts, maxParts), ", ") }

// values are the elements of a list.
func values(path string, texts []string) []value {
	list := make([]value, len(texts))
	for i, text := range texts {
		list[i] = value{path, text, cmp.Or(shown(text), `""`)}
	}
	return list
}

// listText joins the elements of a list.
func listText(list []string) string {
	texts := make([]string, len(list))
	for i, v := range values("", list) {
		texts[i] = v.text
	}
	return joined(texts)
}

// settings returns the values in JSON. A list in an object is a value for each element.
func settings(path string, text *string) []value {
	parsed, err := jsonvalue.Parse([]byte(valueOf(text)))
	switch {
	case valueOf(text) == "":
		return nil
	case err != nil:
		return []value{{path, *text, shown(*text)}}
	}
	return appendSettings(nil, path, false, parsed)
}

func appendSettings(list []value, path string, isSecret bool, v jsonvalue.Value) []value {
	switch {
	case v.Kind() == '{' && v.Size() > 1:
		for name, member := range v.Members() {
			list = appendSettings(list, strings.TrimPrefix(path+"."+quoted(name), "."), isSecret || isSecretMember(v, name), member)
		}
	case v.Kind() == '[' && v.Size() > 1:
		for _, element := range v.Members() {
			list = append(list, newValue(path, isSecret, element))
		}
	default:
		list = append(list, newValue(path, isSecret, v))
	}
	return list
}

func newValue(path string, isSecret bool, v jsonvalue.Value) value {
	text := rewrite("", isSecret, v, maskLeaf)
	if plain, err := strconv.Unquote(text); err == nil {
		text = cmp.Or(quoted(plain), text)
	}
	return value{path, v.JSON(), text}
}

// maskLeaf masks a secret. It shows no hash of it, with which anybody could test guesses.
func maskLeaf(_ string, isSecret bool, v jsonvalue.Value) string {
	switch text := v.Text(); {
	case isSecret && strings.ContainsRune(`"0`, rune(v.Kind())) && v.JSON() != `""`:
		return `"` + mask + `"`
	case v.Kind() == '"':
		return jsonvalue.Quote(masked(text))
	}
	return v.JSON()
}

const mask = "***"

var (
	userInURL    = regexp.MustCompile(`//[^/\\?#\s]*@`)
	secretInText = regexp.MustCompile(`(?i)((?:^|[\s;,{&"'\\])[\w-]*(?:password|passwd|pwd|passphrase|secret|token|api[-_]?key|private[-_]?key|authorization|cookie)\\*["']?\s*[:=]\s*)(?:\\*"[^"]*"?|[^;&\n"]+)|(\b(?:bearer|basic)\s+)[^\s"';,&]{8,}`)
	valuesInURLs = regexp.MustCompile(`([?&#][^=&#\s]+=)[^&#\s]+`)
)

// masked masks the user and the password in URLs, the values in their queries, and what a text
// says to be a secret, such as a header.
func masked(text string) string {
	if !strings.ContainsAny(text, "@=: ") { // Most texts need no search.
		return text
	}
	text = valuesInURLs.ReplaceAllString(userInURL.ReplaceAllString(text, "//"+mask+"@"), "${1}"+mask)
	return secretInText.ReplaceAllString(text, "${1}${2}"+mask)
}

// shown returns a text without secrets, so that it cannot be taken for several texts.
func shown(text string) string { return quoted(masked(text)) }

// Shown returns the JSON of settings, or a URL, as plans and reports show it: the values
// without secrets.
func Shown(text *string) string {
	var texts []string
	for _, v := range settings("", text) {
		texts = append(texts, v.String())
	}
	return joined(texts)
}
