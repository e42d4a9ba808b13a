// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
	"github.com/convo/terraform-provider-convo/internal/oneline"
	"github.com/convo/terraform-provider-convo/internal/redact"
)

// part is a value of an object before and now, as a change shows it. Texts are equal if and
// only if the values are. They have no secrets.
type part struct{ before, after string }

// anotherValue follows a text that is shown like an earlier one.
const anotherValue = " (another value)"

// valuePart is the part of a text with a label, or "" if it needs none.
func valuePart(label, before, after string) part {
	p := part{labeled(label, shown(before)), labeled(label, shown(after))}
	if p.before == p.after && before != after {
		p.after += anotherValue
	}
	return p
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
	type side struct {
		count map[value]int
		paths map[string]int
		texts []string
	}
	var sides [2]side
	for i, list := range [][]value{before, after} {
		sides[i].count, sides[i].paths = map[value]int{}, map[string]int{}
		for _, v := range list {
			sides[i].count[v]++
			sides[i].paths[v.path]++
		}
	}
	isGone := map[string]bool{}
	for i, list := range [][]value{before, after} {
		for _, v := range list {
			if sides[1-i].count[v]--; sides[1-i].count[v] >= 0 {
				continue
			}
			text := v.String()
			switch {
			case i == 0:
				isGone[text] = true
			case isGone[text]:
				text += anotherValue
			}
			if sides[0].paths[v.path] != 1 || sides[1].paths[v.path] != 1 {
				text = []string{gone, added}[i] + text
			}
			sides[i].texts = append(sides[i].texts, text)
		}
	}
	return part{joined(sides[0].texts), joined(sides[1].texts)}
}

// gone and added are the signs of what only one of two lists has.
const gone, added = "− ", "+ "

// settingsPart is listPart of two JSON texts. Without a difference of values, lists in them
// are in another order.
func settingsPart(path string, before, after *string) part {
	p := listPart(settings(path, before), settings(path, after))
	if p == (part{}) && valueOf(before) != valueOf(after) {
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

// joined joins texts up to the length of a value, and says how many are left out.
func joined(texts []string) string {
	count, length := 0, 0
	for count < min(len(texts), maxParts) && length <= maxValue/2 {
		length += len(texts[count])
		count++
	}
	return strings.Join(oneline.First(texts, count), ", ")
}

// values are the elements of a list.
func values(texts []string) []value {
	list := make([]value, len(texts))
	for i, text := range texts {
		list[i] = value{raw: text, text: cmp.Or(shown(text), `""`)}
	}
	return list
}

// listText joins the elements of a list.
func listText(list []string) string {
	texts := make([]string, len(list))
	for i, v := range values(list) {
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
			list = appendSettings(list, strings.TrimPrefix(path+"."+quoted(name), "."), isSecret || redact.SecretName.MatchString(name), member)
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
	if text[0] == '"' {
		var plain string
		_ = json.Unmarshal([]byte(text), &plain)       // It is a JSON string.
		if plain != "" && !json.Valid([]byte(plain)) { // Otherwise, it could be taken for a number.
			text = quoted(plain)
		}
	}
	return value{path, v.JSON(), text}
}

// maskLeaf masks a secret. It shows no hash of it, with which anybody could test guesses.
func maskLeaf(_ string, isSecret bool, v jsonvalue.Value) string {
	switch text := v.Text(); {
	case isSecret && v.Kind() != 'n' && v.JSON() != `""`:
		return `"` + mask + `"`
	case v.Kind() == '"':
		return jsonvalue.Quote(masked(text))
	}
	return v.JSON()
}

const mask = "***"

var (
	userInURL    = regexp.MustCompile(`//[^/\\?#\s]*@`)
	valuesInURLs = regexp.MustCompile(`([?&#][^=&#\s]+=)[^&#\s]+`)
)

// masked masks the user and the password in URLs, and the values in their queries.
func masked(text string) string {
	return valuesInURLs.ReplaceAllString(userInURL.ReplaceAllString(text, "//"+mask+"@"), "${1}"+mask)
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
