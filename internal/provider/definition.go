// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"

	"github.com/convo/terraform-provider-convo/internal/definition"
)

// definitionDescription describes a parameter that is a definition.
const definitionDescription = "Agent's definition as JSON or YAML. Use `definition_json` of `convo_agent` with `include_definition_json = true` or, for " +
	"a file, `file(...)`."

// parseDefinition parses the argument of a function. Terraform prepends the name
// of the parameter and a colon to an error, and appends a period.
func parseDefinition(text string) (definition.Definition, error) {
	parsed, err := definition.Parse([]byte(text))
	if errors.Is(err, definition.ErrNotObject) || errors.Is(err, definition.ErrNoGraph) {
		return parsed, fmt.Errorf("%w. Pass the whole definition of an agent with a graph, such as the definition_json attribute of "+
			"convo_agent. Do not pass part of a definition, or an API response that contains one", err)
	}
	return parsed, err
}

// parseEarlierDefinition parses an argument that is null if there is no earlier
// definition.
func parseEarlierDefinition(text *string) (definition.Definition, error) {
	if text == nil {
		return definition.Definition{}, nil
	}
	return parseDefinition(*text)
}
