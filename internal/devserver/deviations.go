// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"encoding/json"
	"strings"
)

// omitting returns a document, without some fields if the server deviates.
func (s *Server) omitting(document json.RawMessage, omitted ...string) json.RawMessage {
	if s.seed.Deviates {
		return without(document, omitted...)
	}
	return document
}

// without returns a document without fields, which are paths from its root.
func without(document json.RawMessage, paths ...string) json.RawMessage {
	for _, path := range paths {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(document, &object); err != nil || object == nil {
			return document
		}
		key, rest, isNested := strings.Cut(path, ".")
		if value, ok := object[key]; ok && isNested {
			object[key] = without(value, rest)
		} else {
			delete(object, key)
		}
		document = must(json.Marshal(object))
	}
	return document
}
