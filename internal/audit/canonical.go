// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// spelledAs returns the agent with the earlier ones of values that are only spelled in another
// way, so that they are no change.
func (a RecordedAgent) spelledAs(earlier RecordedAgent) RecordedAgent {
	for _, v := range []struct {
		canonical func(string) string
		value     **string
		earlier   *string
	}{
		{canonicalHost, &a.URL, earlier.URL},
		{canonicalHost, &a.Domain, earlier.Domain},
		{canonicalTime, &a.PublishedAt, earlier.PublishedAt},
		{canonicalJSON, &a.ShareRules, earlier.ShareRules},
		{canonicalJSON, &a.Collaborators, earlier.Collaborators},
		{canonicalJSON, &a.Security, earlier.Security},
	} {
		now, before := valueOf(*v.value), valueOf(v.earlier)
		if now != "" && before != "" && now != before && v.canonical(now) == v.canonical(before) {
			*v.value = v.earlier
		}
	}
	return a
}

// canonicalJSON returns JSON with the same form of equal numbers, and with sorted lists of
// values that are neither objects nor lists. Other text is unchanged.
func canonicalJSON(text string) string {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return text
	}
	canonical, _ := json.Marshal(canonicalValue(value)) // It was JSON.
	return string(canonical)
}

func canonicalValue(value any) any {
	switch value := value.(type) {
	case json.Number:
		return json.Number(jsonvalue.AppendNumber(nil, string(value)))
	case map[string]any:
		for name, member := range value {
			value[name] = canonicalValue(member)
		}
	case []any:
		texts, isPlain := make([]string, len(value)), true
		for i, element := range value {
			value[i] = canonicalValue(element)
			text, _ := json.Marshal(value[i])
			texts[i], isPlain = string(text), isPlain && text[0] != '{' && text[0] != '['
		}
		if isPlain {
			slices.Sort(texts)
			return texts
		}
	}
	return value
}

// canonicalHost returns a URL or a host in lower case without the default port. A path keeps
// its letter case.
func canonicalHost(text string) string {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" {
		return strings.TrimSuffix(strings.ToLower(text), ":443")
	}
	port := map[string]string{"http": ":80", "https": ":443"}[parsed.Scheme]
	parsed.Host = strings.TrimSuffix(strings.ToLower(parsed.Host), port)
	return parsed.String()
}

// canonicalTime returns a moment, or the text if it is none.
func canonicalTime(text string) string {
	if moment, err := time.Parse(time.RFC3339, text); err == nil {
		return moment.UTC().Format(time.RFC3339Nano)
	}
	return text
}
