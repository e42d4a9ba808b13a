// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import "cmp"

// shape says what is known of a value in definitions: which part it is, and how it is compared.
type shape struct {
	// part is the name of the part that the value is. Without one, the value belongs to the part
	// around it.
	part    string
	members map[string]*shape
	// elements is the shape of the elements of a list whose order has no meaning.
	elements *shape
	// memberwise says that members are compared one by one, also with an absent value.
	memberwise bool
	// element is the Part of a Difference of the value.
	element string
}

// Layout is the part with the positions and sizes of elements, if they are numbers or objects of
// numbers.
const Layout = "layout"

// omitted is the part that no digest has, but for members without a shape if others have one.
const omitted = "omitted"

// root is the shape of a definition. What is in no other part is its part "other".
var root = &shape{part: "other", memberwise: true, members: map[string]*shape{
	"profile": {part: "profile", members: map[string]*shape{
		"labels": {elements: plain},
	}},
	"graph": {memberwise: true, members: map[string]*shape{
		"links":       {part: "links", elements: &shape{element: "link"}},
		"nodes":       {part: "nodes", elements: placed("node")},
		"memory":      {part: "variables", elements: &shape{element: "variable"}},
		"entrypoints": {part: "entry points", elements: placed("entrypoint")},
	}},
	"canvas": {part: "appearance", memberwise: true, members: map[string]*shape{
		"annotations": {elements: placed("annotation")},
	}},
	"execution":    {part: "rules"},
	"integrations": {part: "integrations"},
	"taxonomy": {part: "tags", members: map[string]*shape{
		"tags": {members: map[string]*shape{"ids": {elements: plain}}},
	}},

	// These change without an edit, but only what the API documents of them is omitted.
	"ref": documented("key", "revision", "publicKey"),
	"exposure": {part: omitted, members: map[string]*shape{
		"state":    documented("published", "archived", "locked"),
		"schedule": documented("publishedAt"),
		"access": {part: omitted, members: map[string]*shape{
			"url":    documented(),
			"domain": documented(),
			"share":  documented("rules"),
		}},
	}},
	"tenancy": {part: omitted, members: map[string]*shape{
		"workspaceRef": documented(),
		"domainRef":    documented(),
		"workspace":    documented("isSuspended", "isPastDue", "members", "collaborators"),
	}},
	"timestamps": documented("created", "updated"),
	"safeguards": documented("security", "riskScore"),
	"telemetry": {part: omitted, memberwise: true, members: map[string]*shape{
		"tables": documented("order", "visibility", "width"),
	}},
}}

// documented returns the shape of a value that is omitted or, if it has keys, of which the
// members under these are. Hosts in what is omitted are not external: an audit has, in other
// attributes, where the agent is and who can use it.
func documented(keys ...string) *shape {
	s := &shape{
		part:       omitted,
		memberwise: len(keys) > 0,
		members:    map[string]*shape{},
	}
	for _, key := range keys {
		s.members[key] = documented()
	}
	return s
}

// plain is the shape of values of which nothing is known.
var plain = &shape{}

func (s *shape) member(key string) *shape { return cmp.Or(s.members[key], plain) }

// placed returns the shape of the elements of a list that have a position.
func placed(element string) *shape {
	position := &shape{part: Layout}
	return &shape{element: element, members: map[string]*shape{
		"graphCoordinates": position, "position": position, "x": position, "y": position,
		"width": position, "height": position, "zIndex": position,
	}}
}

// hasElements reports whether the value is a list of elements that are parts of differences.
func (s *shape) hasElements() bool { return s.elements != nil && s.elements.element != "" }
