// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

// rule is how a value is compared.
type rule struct {
	members   map[string]*rule
	elements  *rule
	part      string // name of the part of a digest that the value is
	omitted   bool   // whether the value is in no part of a digest
	unordered bool   // whether the order of the list has no meaning
	hasHosts  bool   // whether the value's URLs are listed in a digest
	hasLists  bool   // whether members are lists with names
	list      string // name of an element of the list in a Change
	element   string // the same name, if the value is such an element
	placed    bool   // whether the element has a position
	position  bool   // whether a number here, or an object of numbers, is part of the element's position
}

// rules is the rule for a definition. What is in no other part is its part "other".
var rules = &rule{part: "other", hasLists: true, members: map[string]*rule{
	"profile": {part: "profile", members: map[string]*rule{"labels": {unordered: true}}},
	"graph": {hasLists: true, members: map[string]*rule{
		"links":       {part: "links", unordered: true, list: "link", elements: &rule{element: "link"}},
		"nodes":       {part: "nodes", unordered: true, list: "node", hasHosts: true, elements: placed("node")},
		"memory":      {part: "variables", unordered: true, list: "variable", elements: &rule{element: "variable"}},
		"entrypoints": {part: "entry points", unordered: true, list: "entrypoint", hasHosts: true, elements: placed("entrypoint")},
	}},
	"canvas": {part: "appearance", hasLists: true, members: map[string]*rule{
		"annotations": {unordered: true, list: "annotation", elements: placed("annotation")},
	}},
	"execution":    {part: "rules", hasHosts: true},
	"integrations": {part: "integrations"},
	"taxonomy": {part: "tags", members: map[string]*rule{
		"tags": {members: map[string]*rule{"ids": {unordered: true}}},
	}},

	// These change without an edit.
	"ref":        {omitted: true},
	"exposure":   {omitted: true},
	"tenancy":    {omitted: true},
	"timestamps": {omitted: true},
	"safeguards": {omitted: true},
	"telemetry":  {omitted: true},
}}

// content is the rule for values without a rule of their own.
var content = &rule{}

func (r *rule) member(key string) *rule {
	if len(r.members) > 0 {
		if found := r.members[key]; found != nil {
			return found
		}
	}
	return content
}

// placed returns the rule for the elements of a list that have a position.
func placed(element string) *rule {
	position := &rule{position: true}
	return &rule{element: element, placed: true, members: map[string]*rule{
		"graphCoordinates": position, "position": position, "x": position, "y": position,
		"width": position, "height": position, "zIndex": position,
	}}
}
