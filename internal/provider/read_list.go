// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// signsOfMore returns the signs that a response's list is incomplete: a Link
// header with rel="next", or an undocumented field beside the list. The API
// documents no pages, so none are requested, but an audit must not mistake the
// first page for the whole list.
func signsOfMore(response *convo.Response, rest map[string]json.RawMessage, length int) []string {
	var signs []string
	if response.HasNext {
		signs = append(signs, `the header Link with rel="next"`)
	}
	return append(signs, signsIn(rest, "", length)...)
}

// signsIn looks for signs among the fields of an object and of the objects in
// it, one level deep: {"agents": [...], "meta": {"nextPage": 2}}.
func signsIn(fields map[string]json.RawMessage, prefix string, length int) []string {
	var signs []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := fields[name]
		if inner := map[string]json.RawMessage{}; prefix == "" && json.Unmarshal(value, &inner) == nil && len(inner) > 0 {
			signs = append(signs, signsIn(inner, name+".", length)...)
			continue
		}
		if meansMore(strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)), value, length) {
			signs = append(signs, fmt.Sprintf("the field %.60s", prefix+name))
		}
	}
	return signs
}

// nextPage matches the names of fields that refer to the rest of a list.
var nextPage = regexp.MustCompile(`^(next|next.*(cursor|page|token|link|url|uri|offset|marker|key).*|cursor|endcursor|continuationtoken)$`)

// meansMore reports whether a field indicates more elements. Its name is in
// lowercase without separators.
func meansMore(name string, value json.RawMessage, length int) bool {
	var number float64
	switch {
	case name == "total" || name == "totalcount" || name == "totalitems" || name == "totalresults" || name == "count":
		return json.Unmarshal(value, &number) == nil && number > float64(length)
	case name == "hasmore" || name == "hasnext" || name == "hasnextpage" || name == "more" || name == "truncated" || name == "istruncated":
		return string(value) == "true"
	case nextPage.MatchString(name):
		return !slices.Contains([]string{"null", `""`, "false", "0"}, string(value))
	}
	return false
}

// incompleteListWarning returns the warning for an incomplete list.
func incompleteListWarning(list string, signs []string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("The list of "+list+" may be incomplete", incompleteList(signs)+
		"\n\nThe API documents no pages, so the provider requests none. Do not rely on this list being complete. "+
		"Report this to the provider's maintainers.")
}

// incompleteList explains in one sentence why a list may be incomplete.
func incompleteList(signs []string) string {
	return fmt.Sprintf("The response indicates that there are more elements than it lists (%s).", strings.Join(signs, ", "))
}
