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

// signsOfMore returns what a response with a list says about more elements than
// the list has: a Link header with rel="next", or one of the undocumented
// fields beside the list. The API documents no pages, so that none is requested;
// but an audit must not take the first page for everything.
//
// Names of fields come from the service: quote makes them fit to be shown.
func signsOfMore(response *convo.Response, rest map[string]json.RawMessage, length int, quote func(string) string) []string {
	var signs []string
	if response.HasNext {
		signs = append(signs, `the header Link with rel="next"`)
	}
	fields := fieldsOfMore(rest, "", length)
	for _, name := range fields[:min(len(fields), maxFieldsShown)] {
		signs = append(signs, fmt.Sprintf("the field %.60s", quote(name)))
	}
	if more := len(fields) - maxFieldsShown; more > 0 {
		signs = append(signs, fmt.Sprintf("and %d more", more))
	}
	return signs
}

// maxFieldsShown is the number of fields that a warning names.
const maxFieldsShown = 5

// fieldsOfMore returns the names of such fields in an object and in the objects
// in it, one level deep: {"agents": [...], "meta": {"nextPage": 2}}.
func fieldsOfMore(fields map[string]json.RawMessage, prefix string, length int) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := fields[name]
		if inner := map[string]json.RawMessage{}; prefix == "" && json.Unmarshal(value, &inner) == nil {
			found = append(found, fieldsOfMore(inner, name+".", length)...)
			continue
		}
		if meansMore(strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)), value, length) {
			found = append(found, prefix+name)
		}
	}
	return found
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
	case name == "totalpages" || name == "pagecount" || name == "lastpage":
		return json.Unmarshal(value, &number) == nil && number > 1
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
		"\n\nThe API does not document pagination, so the provider does not request further pages. Do not rely on this list being complete. "+
		"Report this to the provider's maintainers.")
}

// incompleteList explains in one sentence why a list may be incomplete.
func incompleteList(signs []string) string {
	return fmt.Sprintf("The response suggests that there are more elements than it lists (evidence: %s).", strings.Join(signs, ", "))
}
