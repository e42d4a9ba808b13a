// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// Layout is the part with positions and sizes.
const Layout = "layout"

// Limits on the text of a digest.
const (
	maxNodes = 500 // If there are more, the text has omitted instead of them.
	maxTitle = 40  // characters
	maxID    = 100 // bytes, or characters of a longer ID

	omitted = "@="
)

// titleEscaper escapes a title on one line as in the query of a URL, except for characters
// that have no meaning in the text, because most titles are words.
var titleEscaper = strings.NewReplacer("%", "%25", "+", "%2B", " ", "+")

// Text returns the hashes of the parts and nodes as a single line, such as
// "links=a1b2c3d4 nodes=e5f6a7b8 @n1=c9d0e1f2:Greeting". IDs are escaped as in the
// query of a URL.
func (d Digest) Text() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(d.Parts)) {
		words = append(words, url.QueryEscape(name)+"="+d.Parts[name])
	}
	if len(d.Nodes) <= maxNodes {
		for _, node := range d.Nodes {
			id := node.ID
			if len(id) > maxID {
				id = oneline.Distinct(id, maxID)
			}
			words = append(words, "@"+url.QueryEscape(id)+"="+node.Hash+":"+titleEscaper.Replace(oneline.Text(node.Title, maxTitle)))
		}
	} else {
		words = append(words, omitted)
	}
	return strings.Join(words, " ")
}

// Difference names the parts and nodes in which two texts of digests differ, such as
// "links" and "node Greeting (n1)". If one of the texts is "", it returns nil.
func Difference(before, after string) []string {
	if before == "" || after == "" {
		return nil
	}
	old, current := parseText(before), parseText(after)
	namesNodes := !slices.Contains(strings.Fields(before), omitted) && !slices.Contains(strings.Fields(after), omitted)
	all := maps.Clone(old)
	maps.Copy(all, current)
	var parts, nodes []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		x, existed := old[key]
		y, exists := current[key]
		switch {
		case x.hash == y.hash:
		case !strings.HasPrefix(key, "@"):
			parts = append(parts, key)
		case !namesNodes:
		case !existed:
			nodes = append(nodes, "new node "+y.describe(key))
		case !exists:
			nodes = append(nodes, "removed node "+x.describe(key))
		default:
			nodes = append(nodes, "node "+y.describe(key))
		}
	}
	if len(nodes) > 0 {
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "nodes" })
	}
	return append(parts, nodes...)
}

type word struct{ hash, title string }

func (w word) describe(key string) string {
	id := strings.TrimPrefix(key, "@")
	switch {
	case id == "":
		return cmp.Or(w.title, "without an ID")
	case w.title == "":
		return id
	}
	return w.title + " (" + id + ")"
}

// parseText returns the words of a text, which Text has escaped, by their unescaped names.
func parseText(text string) map[string]word {
	words := map[string]word{}
	for field := range strings.FieldsSeq(text) {
		name, rest, _ := strings.Cut(field, "=")
		hash, title, _ := strings.Cut(rest, ":")
		name, _ = url.QueryUnescape(name)
		title, _ = url.QueryUnescape(title)
		words[name] = word{hash, title}
	}
	return words
}
