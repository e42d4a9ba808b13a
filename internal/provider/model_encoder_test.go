// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"math/big"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Every model has a field for each attribute of its schema, and of the same type.
func TestModelsMatchTheirSchemas(t *testing.T) {
	t.Parallel()
	models := map[string]any{
		"convo_agent":           agentModel{},
		"convo_agent_stats":     agentStatsModel{},
		"convo_agents":          agentsModel{},
		"convo_members":         membersModel{},
		"convo_workspace":       workspaceModel{},
		"convo_workspace_audit": auditModel{},
	}
	for _, newDataSource := range new(convoProvider).DataSources(t.Context()) {
		source := newDataSource()
		var metadata datasource.MetadataResponse
		source.Metadata(t.Context(), datasource.MetadataRequest{ProviderTypeName: providerTypeName}, &metadata)
		var schema datasource.SchemaResponse
		source.Schema(t.Context(), datasource.SchemaRequest{}, &schema)
		model := models[metadata.TypeName]
		if model == nil {
			t.Errorf("%s has no model in this test. Add it.", metadata.TypeName)
			continue
		}
		if _, err := newEncoder(schema.Schema.Type().TerraformType(t.Context()), reflect.TypeOf(model)); err != nil {
			t.Errorf("%s: %s", metadata.TypeName, err)
		}
	}
}

func TestNewEncoderRefuses(t *testing.T) {
	t.Parallel()
	object := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"a": tftypes.List{ElementType: tftypes.Number}}}
	for want, model := range map[string]any{
		"struct {} has 0 fields for 1 attributes": struct{}{},
		"the schema has no attribute b": struct {
			B string `tfsdk:"b"`
		}{},
		"a: string cannot become tftypes.Number": struct {
			A []string `tfsdk:"a"`
		}{},
		"a: big.Float cannot become tftypes.List[tftypes.Number]": struct {
			A *big.Float `tfsdk:"a"`
		}{},
	} {
		if _, err := newEncoder(object, reflect.TypeOf(model)); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
