// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

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

// Two parts have no place of their own in a definition. In the first one are numbers, and
// objects of numbers.
const (
	// Layout has the positions and sizes of elements.
	Layout = "layout"
	// unedited has what changes without an edit. No digest has it, but for members without a
	// rule if others have one.
	unedited = "unedited"
)

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

	// Only what the API documents of these changes without an edit.
	"ref": documented("key", "revision", "publicKey"),
	"exposure": {part: unedited, members: map[string]*rule{
		"state":    documented("published", "archived", "locked"),
		"schedule": documented("publishedAt"),
		"access": {part: unedited, members: map[string]*rule{
			"url":    documented(),
			"domain": documented(),
			"share":  documented("rules"),
		}},
	}},
	"tenancy": {part: unedited, members: map[string]*rule{
		"workspaceRef": documented(),
		"domainRef":    documented(),
		"workspace":    documented("isSuspended", "isPastDue", "members", "collaborators"),
	}},
	"timestamps": documented("created", "updated"),
	"safeguards": documented("security", "riskScore"),
	"telemetry": {part: unedited, memberwise: true, members: map[string]*rule{
		"tables": documented("order", "visibility", "width"),
	}},
}}

// list returns the rule for a list of elements whose order has no meaning.
func list(part string, elements *rule) *rule { return &rule{part: part, elements: elements} }

// documented returns the rule for a value that changes without an edit or, if it has keys, of
// which the members under these do. Hosts in such values are not external: an audit has, in
// other attributes, where the agent is and who can use it.
func documented(keys ...string) *rule {
	r := &rule{
		part:       unedited,
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

func (r *rule) member(key string) *rule {
	if found := r.members[key]; found != nil {
		return found
	}
	return noRule
}

// placed returns the rule for the elements of a list that have a position.
func placed(element string) *rule {
	position := &rule{part: Layout}
	return &rule{element: element, keys: []string{"id"}, members: map[string]*rule{
		"graphCoordinates": position, "position": position, "x": position, "y": position,
		"width": position, "height": position, "zIndex": position,
	}}
}
