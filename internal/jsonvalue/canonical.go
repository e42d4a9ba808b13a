// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns JSON text that is equal for equal content: compact, with sorted
// keys, unchanged numbers and no HTML escapes. It fails for text that is not JSON.
func Canonical(text []byte) (string, error) {
	canonical, err := jsontext.AppendFormat(nil, text,
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.EscapeForJS(true), jsontext.ReorderRawObjects(true))
	return string(canonical), err
}

// WithNull returns canonical JSON text with null in place of the value at a path of
// keys through its objects. Text without the value is returned unchanged.
func WithNull(text []byte, path ...string) []byte {
	var object map[string]json.RawMessage
	_ = json.Unmarshal(text, &object)
	switch member, ok := object[path[0]]; {
	case !ok:
		return text
	case len(path) == 1:
		object[path[0]] = json.RawMessage("null")
	default:
		object[path[0]] = WithNull(member, path[1:]...)
	}
	var result bytes.Buffer
	encoder := json.NewEncoder(&result)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(object) // It was valid JSON before.
	return bytes.TrimSuffix(result.Bytes(), []byte("\n"))
}
