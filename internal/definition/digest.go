// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Digest describes the content of a definition. Definitions with the same content
// have the same digest:
//
//   - White space, the order of keys, and the spelling of strings and numbers have no
//     meaning: "\u0041" equals "A", and 10e-1 equals 1. Numbers with more than 15
//     characters, or beyond a float64, are compared as text.
//   - The order of a list has a meaning, except for lists that are unordered in their shape.
//   - A member that is null equals an absent one, because services write either. Null
//     in a list, {}, [], and "" are values.
type Digest struct {
	// Hash covers the definition except for the groups that change without an edit. It
	// changes if and only if a part changes.
	Hash  string
	Parts Parts
	// Hosts has the hosts of the URLs in all texts and keys but those that are wholly
	// omitted by their shapes, sorted, in lower case and Punycode, with unusual ports. Those
	// that are one word, or contain a variable, are omitted.
	Hosts []string
}

// Digest returns the digest of the definition.
func (d Definition) Digest() Digest {
	c := newContents()
	c.add(nil, d.Value, root)
	c.parts[root.part] = c.of(d.Value)
	slices.Sort(c.layout)
	c.parts[Layout] = strings.Join(c.layout, "")
	digest := Digest{Parts: Parts{map[string]string{}, c.nodes(d)}, Hosts: d.hosts()}
	var all []byte
	for _, name := range slices.Sorted(maps.Keys(c.parts)) {
		all = fmt.Appendf(all, "%q:%s,", name, c.parts[name])
		digest.Parts.Parts[name] = short(c.parts[name])
	}
	digest.Hash = fmt.Sprintf("h2:%x", sha256.Sum256(all))
	return digest
}

// short returns a short hash of a content.
func short(content string) string {
	sum := sha256.Sum256([]byte(content))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}
