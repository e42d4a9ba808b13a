// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// apiDataSource holds what all data sources have in common.
type apiDataSource struct {
	data *providerData
}

func (d *apiDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.data = configuredData(req.ProviderData, &resp.Diagnostics)
}

// result is what a read found: the values of the computed attributes, and what
// was not as documented.
type result struct {
	values map[string]tftypes.Value
	// missing are the attributes whose values the API documents as never null, but
	// which were absent or null.
	missing []string
	// incomplete are the signs that a list does not have all elements.
	incomplete []string
}

// warnings returns the warnings of a read of the given object.
func (r *result) warnings(t target) diag.Diagnostics {
	var diags diag.Diagnostics
	if len(r.missing) > 0 {
		diags.AddWarning("Documented fields are missing", fmt.Sprintf(
			"The service's response for %s does not contain these values, which the API documents as never null: %s. The attributes are null.",
			t, strings.Join(r.missing, ", ")))
	}
	if len(r.incomplete) > 0 {
		diags.AddWarning("The list of "+t.noun+" may be incomplete", incompleteList(r.incomplete)+
			"\n\nThe API does not document pagination, so the provider does not request further pages. Do not rely on this list being complete. "+
			"Report this to the provider's maintainers.")
	}
	return diags
}

// setState adds the computed attributes to a state. The framework has already put
// the configuration into the state before it calls Read, so the arguments are
// set. State.Set is not used, because it converts each value several times.
func setState(state *tfsdk.State, values map[string]tftypes.Value) diag.Diagnostics {
	var diags diag.Diagnostics
	var attributes map[string]tftypes.Value
	err := state.Raw.As(&attributes)
	if err == nil {
		attributes = maps.Clone(attributes)
		maps.Copy(attributes, values)
		err = tftypes.ValidateValue(state.Raw.Type(), attributes)
	}
	if err != nil {
		diags.AddError("Unable to set the state", adviceReportFault+err.Error()+".")
		return diags
	}
	state.Raw = tftypes.NewValue(state.Raw.Type(), attributes)
	return diags
}

// typeOf returns the Terraform type of an attribute.
func typeOf(ctx context.Context, attribute schema.Attribute) tftypes.Type {
	return attribute.GetType().TerraformType(ctx)
}

// objectType returns the Terraform type of an object with the attributes.
func objectType(ctx context.Context, attributes map[string]schema.Attribute) tftypes.Object {
	types := make(map[string]tftypes.Type, len(attributes))
	for name, attribute := range attributes {
		types[name] = typeOf(ctx, attribute)
	}
	return tftypes.Object{AttributeTypes: types}
}

// decodeList decodes the list of objects under a key of a response, and sorts it
// by the attributes at the given paths, because the API documents no order.
func decodeList(ctx context.Context, client *convo.Client, response *convo.Response, key string, list schema.Attribute, sortBy ...string) (*result, error) {
	fields, rest, err := decodeFields(client, response, key, map[string]tftypes.Type{key: typeOf(ctx, list)})
	if err != nil {
		return nil, err
	}
	objects, err := sortObjects(fields[key], sortBy)
	if err != nil {
		return nil, err
	}
	return &result{
		values:     map[string]tftypes.Value{key: tftypes.NewValue(fields[key].Type(), objects)},
		incomplete: signsOfIncompleteList(client, response, len(objects), rest),
	}, nil
}

// decodeObject decodes the object under a key of a response, and returns the
// values of its attributes.
func decodeObject(ctx context.Context, client *convo.Client, response *convo.Response, key string, attributes map[string]schema.Attribute) (map[string]tftypes.Value, error) {
	fields, _, err := decodeFields(client, response, key, map[string]tftypes.Type{key: objectType(ctx, attributes)})
	if err != nil {
		return nil, err
	}
	return valueAt[map[string]tftypes.Value](fields[key])
}

// decodeFields decodes the given fields at the top of a response, as decode does.
// The response must contain the field under the key.
func decodeFields(
	client *convo.Client, response *convo.Response, key string, fields map[string]tftypes.Type,
) (map[string]tftypes.Value, map[string]json.RawMessage, error) {
	decoder, err := jsonvalue.NewDecoder(tftypes.Object{AttributeTypes: fields})
	if err != nil {
		return nil, nil, err
	}
	return decode(client, decoder, response, key)
}

// decode decodes a response and returns its fields, and the rest of the fields,
// which the decoder's type does not have. It fails if the response does not
// conform to the API, or lacks the field under the key.
func decode(
	client *convo.Client, decoder *jsonvalue.Decoder, response *convo.Response, key string,
) (fields map[string]tftypes.Value, rest map[string]json.RawMessage, err error) {
	value, rest, err := decoder.Decode(response.Body)
	if err == nil {
		err = value.As(&fields)
	}
	if err == nil && fields[key].IsNull() {
		err = fmt.Errorf("%s: required, but null or missing", key)
	}
	if err != nil {
		return nil, nil, client.InvalidResponse(response, err)
	}
	return fields, rest, nil
}

// missingValues returns the names of those values that are null.
func missingValues(values map[string]tftypes.Value, names ...string) []string {
	var missing []string
	for _, name := range names {
		if values[name].IsNull() {
			missing = append(missing, name)
		}
	}
	return missing
}

// attributeAt returns the value at a path of attributes in an object. It is
// null if an object on the path is null, and fails if the type has no such
// attribute.
func attributeAt(object tftypes.Value, path ...string) (tftypes.Value, error) {
	for _, name := range path {
		typ, ok := object.Type().(tftypes.Object)
		if !ok || typ.AttributeTypes[name] == nil {
			return object, fmt.Errorf("the type has no attribute %s", strings.Join(path, "."))
		}
		var attributes map[string]tftypes.Value
		if err := object.As(&attributes); err != nil {
			return object, err
		}
		if object, ok = attributes[name]; !ok {
			object = tftypes.NewValue(typ.AttributeTypes[name], nil)
		}
	}
	return object, nil
}

// valueAt returns the content of attributeAt, and the zero value for null. It
// also fails if the attribute is not a T.
func valueAt[T any](object tftypes.Value, path ...string) (T, error) {
	var content T
	value, err := attributeAt(object, path...)
	if err != nil {
		return content, err
	}
	if value.Type() == nil {
		return content, errors.New("the value has no type") // The key of a map is misspelled.
	}
	err = value.As(&content)
	return content, err
}
