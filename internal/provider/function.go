// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/convo/terraform-provider-convo/internal/api"
)

// providerFunction is a function of the provider.
type providerFunction struct {
	name       string
	definition function.Definition
	run        func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError)
}

func (f *providerFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = f.name
}

func (f *providerFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = f.definition
}

func (f *providerFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	result, failure := f.run(ctx, req.Arguments)
	if failure == nil {
		failure = resp.Result.Set(ctx, result)
	}
	resp.Error = failure
}

// texts replaces null with "" in an argument. A nil map stays nil.
func texts(values map[string]*string) map[string]string {
	if values == nil {
		return nil
	}
	result := make(map[string]string, len(values))
	for key, value := range values {
		result[key] = api.ValueOf(value)
	}
	return result
}
