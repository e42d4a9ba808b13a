// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

// definitionParameter is the parameter of functions that take a definition.
func definitionParameter() function.Parameter {
	return function.StringParameter{
		Name: "definition",
		MarkdownDescription: "An agent's definition as JSON: the `definition_json` attribute of `convo_agent` with `include_definition_json = true`, or " +
			"`jsonencode(yamldecode(file(...)))` for a YAML file.",
	}
}

// parseDefinition parses an argument, which is nil if it is null. Terraform
// prepends the name of the parameter and a colon to an error, and appends a period.
func parseDefinition(argument int64, text *string) (*flow.Definition, *function.FuncError) {
	if text == nil {
		return nil, nil
	}
	definition, err := flow.Parse([]byte(*text))
	switch {
	case errors.Is(err, flow.ErrNotJSON):
		return nil, function.NewArgumentFuncError(argument, err.Error()+". If it is a YAML file, pass jsonencode(yamldecode(file(...)))")
	case err != nil:
		return nil, function.NewArgumentFuncError(argument, err.Error()+". Pass the whole definition, such as the definition_json attribute of "+
			"convo_agent. Do not pass part of a definition, or an API response that contains one")
	}
	return definition, nil
}
