// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"math/big"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/audit"
)

// Every model has a field for each attribute of its schema, and is encoded as State.Set
// sets it, with and without values.
func TestModelsMatchTheirSchemas(t *testing.T) {
	t.Parallel()
	models := map[string]any{
		"convo_agent":           &agentModel{},
		"convo_agent_stats":     &agentStatsModel{},
		"convo_agents":          &agentsModel{},
		"convo_members":         &membersModel{},
		"convo_workspace":       &workspaceModel{},
		"convo_workspace_audit": &audit.Audit{},
	}
	for _, newDataSource := range new(convoProvider).DataSources(t.Context()) {
		source := newDataSource()
		var metadata datasource.MetadataResponse
		source.Metadata(t.Context(), datasource.MetadataRequest{ProviderTypeName: providerTypeName}, &metadata)
		model := models[metadata.TypeName]
		if model == nil {
			t.Errorf("%s has no model in this test. Add it.", metadata.TypeName)
			continue
		}
		var schema datasource.SchemaResponse
		source.Schema(t.Context(), datasource.SchemaRequest{}, &schema)
		for _, values := range []string{"no values", "all values"} {
			if values == "all values" {
				fill(reflect.ValueOf(model).Elem())
			}
			state := tfsdk.State{Schema: schema.Schema}
			if diags := state.Set(t.Context(), model); diags.HasError() {
				t.Errorf("%s with %s: the model and the attributes differ (steps 2 and 3 of Add an Attribute in ADDING.md): %v", metadata.TypeName, values, diags)
				continue
			}
			encoded, err := encodeModel(model)
			if err != nil {
				t.Fatal(err)
			}
			got, err := encoded.Unmarshal(schema.Schema.Type().TerraformType(t.Context()))
			if err != nil {
				t.Errorf("%s with %s: %v", metadata.TypeName, values, err)
			} else if !got.Equal(state.Raw) {
				diff, _ := state.Raw.Diff(got)
				t.Errorf("%s with %s is encoded differently: %v", metadata.TypeName, values, diff)
			}
		}
	}
}

// fill sets all fields, so that no part of a value is nil.
func fill(value reflect.Value) {
	switch value.Kind() {
	case reflect.Struct:
		for i := range value.NumField() {
			if field := value.Type().Field(i); field.IsExported() || field.Anonymous {
				fill(value.Field(i))
			}
		}
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		if _, isNumber := value.Interface().(*big.Float); !isNumber {
			fill(value.Elem())
		}
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		fill(value.Index(0))
	case reflect.Map:
		element := reflect.New(value.Type().Elem()).Elem()
		fill(element)
		value.Set(reflect.MakeMap(value.Type()))
		value.SetMapIndex(reflect.ValueOf("key"), element)
	case reflect.String:
		value.SetString("text")
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int:
		value.SetInt(7)
	}
}

// Numbers keep their value, also those that no int64 or float64 can hold.
func TestEncodeNumber(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "-1", "0.5", "0.1", "9223372036854775807", "9223372036854775808", "1e300", "12345678901234567890.125"} {
		number, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := encodeModel(&struct {
			N *big.Float `tfsdk:"n"`
		}{number})
		if err != nil {
			t.Fatal(err)
		}
		value, err := encoded.Unmarshal(tftypes.Object{AttributeTypes: map[string]tftypes.Type{"n": tftypes.Number}})
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]tftypes.Value
		var got big.Float
		if err := value.As(&object); err != nil {
			t.Fatal(err)
		}
		if err := object["n"].As(&got); err != nil || got.Cmp(number) != 0 {
			t.Errorf("%s: got %s, %v", text, cmp.Diff(number.Text('g', -1), got.Text('g', -1)), err)
		}
	}
}
