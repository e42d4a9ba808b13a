// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// List is the result of an operation that returns a list.
type List[T any] struct {
	Elements []T // sorted, because the API documents no order
	// Doubt says in one sentence why there may be more elements, or is "".
	Doubt string
}

// The signs of more elements are a Link header (RFC 8288) with a next page, a next page or
// cursor that is something, a flag that is true, and a total above the number of elements. A
// cursor without "next" is no sign, because it can be the position of the page itself. Names
// are compared without their notation.
var (
	nextLink = regexp.MustCompile(`(?i);\s*rel="?([^",;]*\s)?next($|[\s",;])`)
	next     = regexp.MustCompile(`^next(page|cursor|token|link|url|$)`)
	nothing  = regexp.MustCompile(`^(|<nil>|false|0|-1|(map)?\[])$`)
	notation = strings.NewReplacer("_", "", "-", "")

	// pageObject matches the names of objects that describe pages.
	pageObject = regexp.MustCompile(`(?i)^_?(meta|pag|links)`)
)

// doubt names the headers, and of rest, which are the undocumented fields beside the list, the
// fields that suggest more elements than the given number. An audit must not mistake the first
// page for everything.
func (r *Response) doubt(length int, rest map[string]any) string {
	headers := map[string]any{}
	for name := range r.header {
		headers[name] = r.header.Get(name)
	}
	found := append(r.signsIn(headers, "the header ", length), r.signsIn(rest, "the field ", length)...)
	if slices.ContainsFunc(r.header.Values("Link"), nextLink.MatchString) {
		found = append(found, `the header Link with rel="next"`)
	}
	if len(found) == 0 {
		return ""
	}
	slices.Sort(found)
	return fmt.Sprintf("The response suggests that there are more elements than it lists (evidence: %s).",
		oneline.List(found, 5))
}

// signsIn returns the names that are signs with their path, also those in objects that
// describe pages.
func (r *Response) signsIn(values map[string]any, path string, length int) []string {
	var found []string
	for name, value := range values {
		if suggestsMore(name, value, length) {
			found = append(found, r.client.clean(path+name))
		}
		inner, isObject := value.(map[string]any)
		if isObject && pageObject.MatchString(name) {
			found = append(found, r.signsIn(inner, path+name+".", length)...)
		}
	}
	return found
}

// suggestsMore reports whether a header or a field is a sign.
func suggestsMore(name string, value any, length int) bool {
	text := fmt.Sprint(value)
	switch name = strings.TrimPrefix(notation.Replace(strings.ToLower(name)), "x"); {
	case next.MatchString(name):
		return !nothing.MatchString(text)
	case name == "hasmore", strings.HasPrefix(name, "hasnext"):
		return text == "true"
	case name == "total", name == "totalcount":
		number, _ := strconv.ParseFloat(text, 64)
		return number > float64(length)
	}
	return false
}
