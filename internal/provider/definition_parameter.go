// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/convo/terraform-provider-convo/internal/definition"
)

// definitionParameter returns the parameter for a definition, which the noun describes.
func definitionParameter(noun string) function.StringParameter {
	return function.StringParameter{
		Name:                "definition",
		AllowNullValue:      true, // so that parseDefinition explains it
		MarkdownDescription: noun + " as JSON, such as `definition_json` of `convo_agent`, or `file(...)`.",
	}
}

// parseDefinitions parses a function's first two arguments: a definition, and an earlier one,
// which is absent if it is null.
func parseDefinitions(text, before *string) (later, earlier definition.Definition, failure *function.FuncError) {
	later, failure = parseDefinition(0, text)
	if failure == nil && before != nil {
		earlier, failure = parseDefinition(1, before)
	}
	return later, earlier, failure
}

// parseDefinition parses the argument of a function at a position. Terraform prepends the
// name of the parameter and a colon to an error, and appends a period.
func parseDefinition(position int64, text *string) (definition.Definition, *function.FuncError) {
	if text == nil {
		return definition.Definition{}, function.NewArgumentFuncError(position,
			"the definition is null. If it comes from the data source convo_agent, set include_definition_json = true there")
	}
	parsed, err := definition.Parse([]byte(*text))
	if errors.Is(err, definition.ErrNoGraph) {
		err = fmt.Errorf("%w. Pass the whole definition of an agent with a graph, such as the definition_json attribute of "+
			"convo_agent. Do not pass part of a definition, or an API response that contains one", err)
	}
	if err != nil {
		return parsed, function.NewArgumentFuncError(position, err.Error())
	}
	return parsed, nil
}
