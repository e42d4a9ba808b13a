// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// List is the result of an operation that returns a list.
type List[T any] struct {
	Elements []T // in the order of the service
	// SignsOfMore are what in the response suggests that there are more elements, such as
	// "the field nextPage".
	SignsOfMore []string
}

// signs are plain names of headers and fields, each with the condition under which its
// value suggests that there are more elements than the given number, or more pages than
// the current one. A cursor without "next" is missing here, because it can be the position
// of the page itself.
var signs = []struct {
	names        []string
	suggestsMore func(value string, length, page float64) bool
}{
	{
		[]string{
			"next", "nextpage", "nextpagestart", "nextpagetoken", "nextpageuri", "nextpageurl", "nextcursor", "nexthref", "nextlink",
			"nextmarker", "nextoffset", "nexttoken", "nexturi", "nexturl", "nextcontinuationtoken", "continue", "continuation",
			"continuationtoken", "mscontinuation", "odatanextlink", "lastevaluatedkey", "remainingitemcount",
			"error", "errors", "issues", // The list may lack what caused an error.
		},
		func(value string, _, _ float64) bool {
			return !slices.Contains([]string{"", "null", "none", "ok", "false", "0", "-1"}, strings.ToLower(value))
		},
	},
	{
		[]string{
			"hasmore", "hasmoreitems", "hasmorepages", "hasmoreresults", "hasnext", "hasnextpage", "more", "moreavailable",
			"istruncated", "truncated", "incompleteresults", "incomplete", "isincomplete", "partial", "ispartial",
		},
		func(value string, _, _ float64) bool { return strings.EqualFold(value, "true") },
	},
	{
		[]string{"last", "islast", "lastpage", "islastpage", "success"},
		func(value string, _, _ float64) bool { return strings.EqualFold(value, "false") },
	},
	{
		[]string{
			"total", "totalcount", "totalelements", "totalitems", "totalrecords", "totalresults", "totalsize", "count", "odatacount", "recordstotal",
		},
		func(value string, length, _ float64) bool { return numberIn(value) > length },
	},
	{
		[]string{"totalpages", "pages", "pagecount", "lastpage"},
		func(value string, _, page float64) bool { return numberIn(value) > page },
	},
	{
		[]string{"code", "errorcode", "status", "statuscode"},
		func(value string, _, _ float64) bool { return errorCode.MatchString(value) },
	},
	{
		// "items 0-9/12" has a total. Some services send "0-9/*" with complete lists.
		[]string{"contentrange"},
		func(value string, length, _ float64) bool {
			_, total, _ := strings.Cut(value, "/")
			return numberIn(total) > length && !strings.HasPrefix(value, "bytes")
		},
	},
}

// pageNumbers are plain names for the number of the current page, and pageObjects those of
// objects that describe pages.
var (
	pageNumbers = []string{"page", "currentpage", "pagenumber"}
	pageObjects = []string{"meta", "metadata", "responsemetadata", "pagination", "page", "pages", "paging", "pageinfo", "links", "cursor", "cursors"}
)

// signsOfMore returns what in the response suggests that a list has more elements than
// the given number: a Link header with rel="next", or one of the usual names for pages,
// totals, and errors among the headers and among rest, which are the undocumented fields
// beside the list. An audit must not mistake the first page for everything.
func (r *Response) signsOfMore(length int, rest map[string]jsontext.Value) []string {
	var found []string
	if slices.ContainsFunc(r.header.Values("Link"), nextLink.MatchString) {
		found = append(found, `the header Link with rel="next"`)
	}
	headers := map[string]string{}
	for name := range r.header {
		headers[name] = r.header.Get(name)
	}
	for _, name := range slices.Sorted(slices.Values(namesOfSigns(headers, length))) {
		found = append(found, "the header "+name)
	}
	for _, name := range slices.Sorted(slices.Values(fieldsOfSigns(rest, length, 2))) {
		found = append(found, "the field "+r.clean(name))
	}
	return found
}

// fieldsOfSigns returns the fields that are signs, also those in objects that describe
// pages, which can be nested in the given number of levels.
func fieldsOfSigns(fields map[string]jsontext.Value, length, levels int) []string {
	values := map[string]string{}
	for name, value := range fields {
		values[name] = fieldText(value)
	}
	names := namesOfSigns(values, length)
	for name, value := range fields {
		if levels == 0 || !slices.Contains(pageObjects, normalized(name)) {
			continue
		}
		var inner map[string]jsontext.Value
		_ = json.Unmarshal(value, &inner) // Anything but an object has no fields.
		for _, field := range fieldsOfSigns(inner, length, levels-1) {
			names = append(names, name+"."+field)
		}
	}
	return names
}

// namesOfSigns returns the names whose values are signs.
func namesOfSigns(values map[string]string, length int) []string {
	page := 1.0 // Some services count from 0.
	for name, value := range values {
		if slices.Contains(pageNumbers, normalized(name)) {
			page = max(page, numberIn(value))
		}
	}
	var names []string
	for name, value := range values {
		plainName := normalized(name)
		for _, sign := range signs {
			if slices.Contains(sign.names, plainName) && sign.suggestsMore(value, float64(length), page) {
				names = append(names, name)
			}
		}
	}
	return names
}

// normalized returns a name without what differs between notations, such as "nextpage" for
// "next_page" and "X-Next-Page".
func normalized(name string) string {
	return notation.Replace(strings.TrimPrefix(strings.ToLower(name), "x-"))
}

var notation = strings.NewReplacer("_", "", "-", "", ".", "", "@", "")

// fieldText returns the text of a string, "" for an empty list or object, and the JSON of
// any other value.
func fieldText(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		text, _ := jsontext.AppendUnquote(nil, value) // The value was parsed before.
		return string(bytes.TrimSpace(text))
	case '[', '{':
		if len(bytes.TrimSpace(value[1:len(value)-1])) == 0 {
			return ""
		}
	}
	return string(value)
}

// numberIn returns the number in a text, or 0.
func numberIn(text string) float64 {
	value, _ := strconv.ParseFloat(text, 64)
	return value
}

// nextLink matches a Link header (RFC 8288) that names a next page, such as
// <https://service.example/v1/agents?page=2>; rel="next last".
var nextLink = regexp.MustCompile(`(?i)>(?:[^<"]|"[^"]*")*;\s*rel\s*=\s*("\s*([^"]*\s)?)?next($|[\s",;])`)

// errorCode matches the API's error codes, and the HTTP statuses of errors.
var errorCode = regexp.MustCompile(`(?i)^([45][0-9]{2}|BAD_REQUEST|UNAUTHORIZED|FORBIDDEN|NOT_FOUND|INTERNAL_SERVER_ERROR|ERROR)$`)
