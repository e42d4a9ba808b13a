// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// mergePatch applies a JSON merge patch (RFC 7396): objects are merged, null removes a key, and every other value
// replaces the old one. Values that the patch does not name keep their bytes. A document that is not an object counts
// as {}.
func mergePatch(document json.RawMessage, patch map[string]json.RawMessage) (json.RawMessage, error) {
	fields, err := object(document)
	if err != nil {
		return nil, err
	}
	if fields == nil {
		fields = map[string]json.RawMessage{}
	}
	for key, change := range patch {
		nested, err := object(change)
		switch {
		case err != nil:
		case string(change) == "null":
			delete(fields, key)
		case nested == nil:
			fields[key] = change
		default:
			fields[key], err = mergePatch(fields[key], nested)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return encode(fields)
}

// object returns the fields of a JSON object, and nil for every other value and for an empty document.
func object(document json.RawMessage) (map[string]json.RawMessage, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(document), []byte("{")) {
		return nil, nil
	}
	var fields map[string]json.RawMessage
	err := json.Unmarshal(document, &fields)
	return fields, err
}
