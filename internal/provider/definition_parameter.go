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
		MarkdownDescription: "An agent's definition as JSON: the `definition_json` attribute of `convo_agent`, or " +
			"`jsonencode(yamldecode(file(...)))` for a YAML file.",
	}
}

// definitionError is an error at the argument. Terraform prepends the name of
// the parameter and a colon, and appends a period.
func definitionError(argument int64, err error) *function.FuncError {
	advice := ""
	switch {
	case errors.Is(err, flow.ErrNotJSON):
		advice = ". If it is a YAML file, pass jsonencode(yamldecode(file(...)))"
	case errors.Is(err, flow.ErrNotObject), errors.Is(err, flow.ErrNoGraph):
		advice = ". Pass the whole definition, such as the definition_json attribute of convo_agent. Do not pass part of a definition, or an API " +
			"response that contains one"
	}
	return function.NewArgumentFuncError(argument, err.Error()+advice)
}
