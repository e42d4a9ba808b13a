// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package definition reads the definitions of agents, and compares them by their content.
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
)

// Digest describes the content of a definition. Definitions with the same content
// have the same digest:
//
//   - White space, the order of keys, and the spelling of strings and numbers have no
//     meaning: "\u0041" equals "A", and 10e-1 equals 1. Numbers with an exponent
//     outside 32 bits are compared as text.
//   - The order of a list has a meaning, except for lists that are unordered in rules.
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
	// Hosts has the hosts of the URLs in all texts and keys but those with noHosts in
	// rules, sorted, in lower case and Punycode, with unusual ports. A host can contain
	// variables. Only the first 1,000 are listed, and longer ones are cut to 253 bytes.
	Hosts []string
}

// Node describes a node of a graph.
type Node struct {
	ID    string // empty if the node has none
	Title string // the member title, or else name
	Hash  string // short hash of the content without the node's own position and size
}

var errNoObject = errors.New("the definition is not a JSON object")

// DigestIn returns the digest of the definition that is a member of an object, as in the
// text of an API response that jsonvalue.Compact returns. It must have no equal keys. It fails
// if the member is not an object.
func DigestIn(document, name string) (Digest, error) {
	d := &digester{text: document, seen: make(map[sharedKey]int, len(document)/128)}
	if strings.HasPrefix(document, "{") {
		d.read(&rule{members: map[string]*rule{name: rules}})
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
	return Digest{"h2:" + hex.EncodeToString(whole.Sum(nil)), parts, d.nodes, d.hosts.sorted()}
}

func short(h hash) string { return base64.RawURLEncoding.EncodeToString(h[:6]) }
