// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"

	yamldocuments "go.yaml.in/yaml/v2"
	"sigs.k8s.io/yaml"
)

// yamlToJSON returns a YAML document as JSON text. Its errors quote no value, and most begin
// with the number of the line.
func yamlToJSON(text []byte) ([]byte, error) {
	json, err := yaml.YAMLToJSON(text)
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "yaml: ")
		return nil, errors.New(quotedValue.ReplaceAllString(reason, "$1"))
	}
	var document any
	documents := yamldocuments.NewDecoder(bytes.NewReader(text))
	_ = documents.Decode(&document) // YAMLToJSON has read the first one.
	if !errors.Is(documents.Decode(&document), io.EOF) {
		return nil, errors.New("there is more than one document")
	}
	return json, nil
}

// quotedValue matches errors that end with a key or a value.
var quotedValue = regexp.MustCompile(`(?s)(invalid map key|unsupported map key|cannot decode).*`)
