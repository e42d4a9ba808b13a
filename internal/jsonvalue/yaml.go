// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"

	yamldocuments "go.yaml.in/yaml/v2"
	"sigs.k8s.io/yaml"
)

// FromYAML returns a YAML document as JSON text. It returns io.EOF for a text without a
// document. Other errors quote no value, and most begin with the number of the line.
func FromYAML(text []byte) ([]byte, error) {
	var first, second any
	documents := yamldocuments.NewDecoder(bytes.NewReader(text))
	err := documents.Decode(&first)
	if err == nil && !errors.Is(documents.Decode(&second), io.EOF) {
		return nil, errors.New("there is more than one document")
	}
	var json []byte
	if err == nil {
		json, err = yaml.YAMLToJSON(text)
	}
	switch {
	case errors.Is(err, io.EOF), string(json) == "null":
		return nil, io.EOF
	case err != nil:
		reason := strings.TrimPrefix(err.Error(), "yaml: ")
		return nil, errors.New(quotedValue.ReplaceAllString(reason, "$1"))
	}
	return json, nil
}

// quotedValue matches errors that end with a key or a value.
var quotedValue = regexp.MustCompile(`(?s)(invalid map key|unsupported map key|cannot decode).*`)
