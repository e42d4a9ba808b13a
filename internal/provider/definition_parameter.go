// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

// definitionParameter is the parameter of functions that take a definition.
func definitionParameter(name, subject string) function.Parameter {
	return function.StringParameter{
		Name: name,
		MarkdownDescription: subject + " as JSON: `definition_json` of `convo_agent` with `include_definition_json = true`, or " +
			"`jsonencode(yamldecode(file(...)))` for a YAML file.",
	}
}

// parseDefinition parses the argument of a function at a position, which is nil
// for null. Terraform prepends the name of the parameter and a colon to an error,
// and appends a period.
func parseDefinition(position int64, text *string) (*flow.Definition, *function.FuncError) {
	if text == nil {
		return nil, nil
	}
	definition, err := flow.Parse([]byte(*text))
	switch {
	case errors.Is(err, flow.ErrNotJSON):
		return nil, function.NewArgumentFuncError(position, err.Error()+". If it is a YAML file, pass jsonencode(yamldecode(file(...)))")
	case err != nil:
		return nil, function.NewArgumentFuncError(position, err.Error()+". Pass the whole definition, such as the definition_json attribute of "+
			"convo_agent. Do not pass part of a definition, or an API response that contains one")
	}
	return definition, nil
}
