// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// SignsOfMore returns what in the response suggests that a list has more elements than
// the given number: a Link header with rel="next", or one of the usual names for pages
// and totals among rest, which are the undocumented fields beside the list. The API
// documents no pages, so none is requested; but an audit must not mistake the first
// page for everything.
func (r *Response) SignsOfMore(length int, rest map[string]jsontext.Value) []string {
	var signs []string
	if r.hasNext {
		signs = append(signs, `the header Link with rel="next"`)
	}
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		value := rest[name]
		if value.Kind() != '{' && suggestsMore(name, value, length) {
			signs = append(signs, "the field "+r.Clean(name))
		}
		// Pages are often described by an object of their own: {"agents": [...], "meta": {"nextPage": 2}}.
		var fields map[string]jsontext.Value
		_ = json.Unmarshal(value, &fields) // Anything but an object has no fields.
		for _, inner := range slices.Sorted(maps.Keys(fields)) {
			if suggestsMore(inner, fields[inner], length) {
				signs = append(signs, "the field "+r.Clean(name+"."+inner))
			}
		}
	}
	return signs
}

// suggestsMore reports whether the value of a field suggests that a list has
// more elements than the given number.
func suggestsMore(name string, value jsontext.Value, length int) bool {
	number, _ := strconv.ParseFloat(string(value), 64) // 0 if the value is not a number
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)) {
	case "next", "nextpage", "nextcursor", "nextpagetoken", "nexttoken", "cursor":
		return !slices.Contains([]string{"null", `""`, "false", "0"}, string(value))
	case "hasmore", "hasnext", "hasnextpage":
		return string(value) == "true"
	case "total", "totalcount", "count":
		return number > float64(length)
	case "totalpages":
		return number > 1
	}
	return false
}

// hasNext reports whether Link headers (RFC 8288) name a next page, such as
// <https://service.example/v1/agents?page=2>; rel="next last". For simplicity, commas,
// semicolons, and < also separate inside quotes.
func hasNext(headers []string) bool {
	for link := range strings.SplitSeq(strings.Join(headers, ","), "<") {
		parameters := strings.ToLower(strings.ReplaceAll(link[strings.Index(link, ">")+1:], `"`, " "))
		for parameter := range strings.FieldsFuncSeq(parameters, func(c rune) bool { return c == ';' || c == ',' }) {
			name, value, _ := strings.Cut(parameter, "=")
			if strings.TrimSpace(name) == "rel" && slices.Contains(strings.Fields(value), "next") {
				return true
			}
		}
	}
	return false
}
