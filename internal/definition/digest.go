// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package definition compares the definitions of agents by their content.
package definition

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Digest describes the content of a definition. Definitions with the same content
// have the same digest:
//
//   - White space, the order of keys, and the spelling of strings and numbers have no
//     meaning: "\u0041" equals "A", and 10e-1 equals 1. Numbers with an exponent
//     outside 32 bits are compared as text.
//   - The order of a list has a meaning, except for lists that are unordered in rules.
//   - Of equal keys, the last one counts.
//   - A member that is null equals an absent one, because services write either. Null
//     in a list, {}, [], and "" are values.
type Digest struct {
	// Hash covers the definition except for the groups that change without an edit.
	Hash string
	// Parts has a short hash for each part in rules that the definition has, and for
	// two more: "layout" covers the positions and sizes of nodes, entry points, and
	// annotations, and "other" covers what is in no other part. Hash changes if and
	// only if a part changes.
	Parts map[string]string
	// Nodes has the objects in graph.nodes, sorted by ID.
	Nodes []Node
	// Hosts has the hosts of the URLs in the nodes, entry points, and rules, sorted,
	// in lower case, with their ports. A host can contain variables. Only the first
	// 1,000 hosts are listed, and longer hosts are cut to 253 bytes.
	Hosts []string
}

// Node describes a node of a graph.
type Node struct {
	ID    string // empty if the node has none
	Title string // the member title, or else name
	Hash  string // short hash of the content without the node's own position and size
}

// rule is how the digest treats a value.
type rule struct {
	members   map[string]*rule
	elements  *rule
	part      string // name of the part that the value is
	omitted   bool   // whether the value is in no part
	unordered bool   // whether the order of the list has no meaning
	hasHosts  bool   // whether the value's URLs are listed in Hosts
	placed    string // name of the list, if the value is an element with a position
	position  bool   // whether a number here, or an object of numbers, is part of the element's position
}

// rules is the rule for a definition. What is in no other part is its part "other".
var rules = &rule{part: "other", members: map[string]*rule{
	"profile": {part: "profile", members: map[string]*rule{"labels": {unordered: true}}},
	"graph": {members: map[string]*rule{
		"links":       {part: "links", unordered: true},
		"nodes":       {part: "nodes", unordered: true, hasHosts: true, elements: placed("nodes")},
		"memory":      {part: "variables", unordered: true},
		"entrypoints": {part: "entry points", unordered: true, hasHosts: true, elements: placed("entrypoints")},
	}},
	"canvas": {part: "appearance", members: map[string]*rule{
		"annotations": {unordered: true, elements: placed("annotations")},
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

// member returns the rule for the member with a quoted key.
func (r *rule) member(key []byte) *rule {
	if len(r.members) > 0 {
		if found := r.members[string(key[1:len(key)-1])]; found != nil {
			return found
		}
	}
	return content
}

// placed returns the rule for the elements of a list that have a position.
func placed(list string) *rule {
	position := &rule{position: true}
	return &rule{placed: list, members: map[string]*rule{
		"graphCoordinates": position, "position": position, "x": position, "y": position,
		"width": position, "height": position, "zIndex": position,
	}}
}

var errNoObject = errors.New("the definition is not a JSON object")

// DigestOf returns the digest of a definition. It fails for text that is not a JSON
// object.
func DigestOf(definition jsontext.Value) (Digest, error) {
	return digestOf(definition, rules)
}

// DigestIn returns the digest of the definition that is a member of an object, as in
// an API response. That is faster than decoding the member first.
func DigestIn(document []byte, name string) (Digest, error) {
	return digestOf(document, &rule{members: map[string]*rule{name: rules}})
}

func digestOf(document []byte, r *rule) (Digest, error) {
	compact, err := jsontext.AppendFormat(make([]byte, 0, len(document)), document,
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	switch {
	case err != nil:
		return Digest{}, jsonvalue.ErrNotJSON
	case compact[0] != '{':
		return Digest{}, errNoObject
	}
	d := read(compact, r)
	if d.hasEqualKeys { // Canonical keeps the last one.
		canonical, err := jsonvalue.Canonical(compact)
		if err != nil {
			return Digest{}, err
		}
		d = read([]byte(canonical), r)
	}
	if !d.isObject {
		return Digest{}, errNoObject
	}
	return d.digest(), nil
}

// digest returns the digest of the definition that has been read.
func (d *digester) digest() Digest {
	slices.SortFunc(d.layout, func(x, y hash) int { return bytes.Compare(x[:], y[:]) })
	layout := sha256.New()
	for _, position := range d.layout {
		layout.Write(position[:])
	}
	d.parts["layout"] = hash(layout.Sum(nil))
	whole, parts := sha256.New(), map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(d.parts)) {
		sum := d.parts[name]
		whole.Write(append([]byte(name), sum[:]...))
		parts[name] = short(sum)
	}
	slices.SortFunc(d.nodes, func(x, y Node) int {
		if x.ID != y.ID {
			return strings.Compare(x.ID, y.ID)
		}
		return cmp.Or(strings.Compare(x.Title, y.Title), strings.Compare(x.Hash, y.Hash))
	})
	return Digest{"h1:" + hex.EncodeToString(whole.Sum(nil)), parts, d.nodes, sortedHosts(d.hosts)}
}

func short(h hash) string { return base64.RawURLEncoding.EncodeToString(h[:6]) }
