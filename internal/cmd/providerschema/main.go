// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command providerschema prints what the documentation is generated from: the
// provider's schema, in the form of "terraform providers schema -json", so that
// it does not depend on the features of an installed CLI.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/provider"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "providerschema:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	server := provider.NewServer("")()
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return err
	}
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return err
	}
	for _, d := range append(schemas.Diagnostics, identities.Diagnostics...) {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return fmt.Errorf("%s: %s", d.Summary, d.Detail)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(object{
		"format_version": "1.0",
		"provider_schemas": object{
			"convo": object{
				"provider":                   schema(schemas.Provider),
				"resource_schemas":           each(schemas.ResourceSchemas, schema),
				"resource_identity_schemas":  each(identities.IdentitySchemas, identity),
				"data_source_schemas":        each(schemas.DataSourceSchemas, schema),
				"ephemeral_resource_schemas": each(schemas.EphemeralResourceSchemas, schema),
				"action_schemas":             each(schemas.ActionSchemas, func(a *tfprotov6.ActionSchema) object { return schema(a.Schema) }),
				"functions":                  each(schemas.Functions, signature),
			},
		},
	})
}

type object = map[string]any

func each[T any](from map[string]T, convert func(T) object) object {
	result := object{}
	for name, value := range from {
		result[name] = convert(value)
	}
	return result
}

func schema(s *tfprotov6.Schema) object {
	return object{"block": object{"attributes": attributes(s.Block.Attributes), "description": s.Block.Description}}
}

func attributes(list []*tfprotov6.SchemaAttribute) object {
	result := object{}
	for _, a := range list {
		attribute := object{
			"description": a.Description,
			"required":    a.Required,
			"optional":    a.Optional,
			"computed":    a.Computed,
			"sensitive":   a.Sensitive,
			"deprecated":  a.Deprecated,
			"write_only":  a.WriteOnly,
		}
		if a.NestedType != nil {
			attribute["nested_type"] = object{
				"attributes":   attributes(a.NestedType.Attributes),
				"nesting_mode": strings.ToLower(a.NestedType.Nesting.String()),
			}
		} else {
			attribute["type"] = a.Type
		}
		result[a.Name] = attribute
	}
	return result
}

func identity(s *tfprotov6.ResourceIdentitySchema) object {
	result := object{}
	for _, a := range s.IdentityAttributes {
		result[a.Name] = object{
			"type":                a.Type,
			"description":         a.Description,
			"required_for_import": a.RequiredForImport,
			"optional_for_import": a.OptionalForImport,
		}
	}
	return object{"attributes": result}
}

func signature(f *tfprotov6.Function) object {
	parameters := []object{}
	for _, p := range f.Parameters {
		parameters = append(parameters, parameter(p))
	}
	result := object{"summary": f.Summary, "description": f.Description, "return_type": f.Return.Type, "parameters": parameters}
	if f.VariadicParameter != nil {
		result["variadic_parameter"] = parameter(f.VariadicParameter)
	}
	return result
}

func parameter(p *tfprotov6.FunctionParameter) object {
	return object{"name": p.Name, "type": p.Type, "description": p.Description, "is_nullable": p.AllowNullValue}
}
