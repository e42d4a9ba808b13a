// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import "cmp"

// rule says which part a value is, and how it is compared.
type rule struct {
	// part is the name of the part that the value is. Without one, the value belongs to the part
	// around it.
	part    string
	members map[string]*rule
	// elements is the rule for the elements of a list whose order has no meaning.
	elements *rule
	// memberwise says that members are compared one by one, also with an absent value.
	memberwise bool
	// element is the Part of a Difference of the value, and keys are those by which a service may
	// look it up.
	element string
	keys    []string
}

// Layout is the part with the positions and sizes of elements, if they are numbers or objects of
// numbers.
const Layout = "layout"

// omitted is the part that no digest has, but for members without a rule if others have one.
const omitted = "omitted"

// rules is the rule for a definition. What is in no other part is its part "other".
var rules = &rule{part: "other", memberwise: true, members: map[string]*rule{
	"profile": {part: "profile", members: map[string]*rule{
		"labels": {elements: noRule},
	}},
	"graph": {memberwise: true, members: map[string]*rule{
		"links":       list("links", &rule{element: "link", keys: []string{"from", "id"}}),
		"nodes":       list("nodes", placed("node")),
		"memory":      list("variables", &rule{element: "variable", keys: []string{"id", "name"}}),
		"entrypoints": list("entry points", placed("entrypoint")),
	}},
	"canvas": {part: "appearance", memberwise: true, members: map[string]*rule{
		"annotations": list("", placed("annotation")),
	}},
	"execution":    {part: "rules"},
	"integrations": {part: "integrations"},
	"taxonomy": {part: "tags", members: map[string]*rule{
		"tags": {members: map[string]*rule{"ids": {elements: noRule}}},
	}},

	// These change without an edit, but only what the API documents of them is omitted.
	"ref": documented("key", "revision", "publicKey"),
	"exposure": {part: omitted, members: map[string]*rule{
		"state":    documented("published", "archived", "locked"),
		"schedule": documented("publishedAt"),
		"access": {part: omitted, members: map[string]*rule{
			"url":    documented(),
			"domain": documented(),
			"share":  documented("rules"),
		}},
	}},
	"tenancy": {part: omitted, members: map[string]*rule{
		"workspaceRef": documented(),
		"domainRef":    documented(),
		"workspace":    documented("isSuspended", "isPastDue", "members", "collaborators"),
	}},
	"timestamps": documented("created", "updated"),
	"safeguards": documented("security", "riskScore"),
	"telemetry": {part: omitted, memberwise: true, members: map[string]*rule{
		"tables": documented("order", "visibility", "width"),
	}},
}}

// list returns the rule for a list of elements whose order has no meaning.
func list(part string, elements *rule) *rule { return &rule{part: part, elements: elements} }

// documented returns the rule for a value that is omitted or, if it has keys, of which the
// members under these are. Hosts in what is omitted are not external: an audit has, in other
// attributes, where the agent is and who can use it.
func documented(keys ...string) *rule {
	r := &rule{
		part:       omitted,
		memberwise: len(keys) > 0,
		members:    map[string]*rule{},
	}
	for _, key := range keys {
		r.members[key] = documented()
	}
	return r
}

// noRule is the rule for values without a rule of their own.
var noRule = &rule{}

func (r *rule) member(key string) *rule { return cmp.Or(r.members[key], noRule) }

// placed returns the rule for the elements of a list that have a position.
func placed(element string) *rule {
	position := &rule{part: Layout}
	return &rule{element: element, keys: []string{"id"}, members: map[string]*rule{
		"graphCoordinates": position, "position": position, "x": position, "y": position,
		"width": position, "height": position, "zIndex": position,
	}}
}
