// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// signsOfIncompleteList returns what in a response suggests that there are more
// elements than the list has: a Link header with rel="next", or one of the usual
// names for pages and totals among the undocumented fields beside the list. The
// API documents no pages, so none is requested; but an audit must not mistake
// the first page for everything.
func signsOfIncompleteList(client *convo.Client, response *convo.Response, length int, rest map[string]jsontext.Value) []string {
	var signs []string
	if response.HasNext {
		signs = append(signs, `the header Link with rel="next"`)
	}
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		value := rest[name]
		if value.Kind() != '{' && suggestsMore(name, value, length) {
			signs = append(signs, "the field "+client.Clean(name))
		}
		// Pages are often described by an object of their own: {"agents": [...], "meta": {"nextPage": 2}}.
		var fields map[string]jsontext.Value
		_ = json.Unmarshal(value, &fields) // Anything but an object has no fields.
		for _, inner := range slices.Sorted(maps.Keys(fields)) {
			if suggestsMore(inner, fields[inner], length) {
				signs = append(signs, "the field "+client.Clean(name+"."+inner))
			}
		}
	}
	return signs
}

// suggestsMore reports whether the value of a field suggests that a list has
// more elements than the given number.
func suggestsMore(name string, value jsontext.Value, length int) bool {
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)) {
	case "next", "nextpage", "nextcursor", "nextpagetoken", "nexttoken", "cursor":
		return !slices.Contains([]string{"null", `""`, "false", "0"}, string(value))
	case "hasmore", "hasnext", "hasnextpage":
		return string(value) == "true"
	case "total", "totalcount", "count":
		var total float64
		return json.Unmarshal(value, &total) == nil && total > float64(length)
	case "totalpages":
		var pages float64
		return json.Unmarshal(value, &pages) == nil && pages > 1
	}
	return false
}

// describeSigns explains in one sentence why a list may be incomplete.
func describeSigns(signs []string) string {
	return fmt.Sprintf("The response suggests that there are more elements than it lists (evidence: %s).", strings.Join(oneline.First(signs, 5), ", "))
}
