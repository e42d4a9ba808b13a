// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// read describes one read operation of the interface: what it is asked, what
// it answers and how it is sent. Everything else is the same for all of them.
type read struct {
	// name follows "convo_" in the type's name.
	name string
	// noun is what is read, as in "Unable to read agent".
	noun        string
	description string
	arguments   map[string]schema.Attribute
	// idArgument is the argument that names what is read; "" for a read of
	// all there is.
	idArgument string

	// invalid says what to check when the service finds the input invalid;
	// "" when its own issues say it all.
	invalid string

	// answer are the attributes that stand for the answer's own fields.
	answer map[string]schema.Attribute
	// envelope is the field of the answer whose fields become attributes of
	// their own; "" when there is none.
	envelope string
	// enveloped are the attributes that stand for the envelope's fields.
	enveloped map[string]schema.Attribute
	// verbatim is the attribute that takes the whole envelope as JSON when
	// the argument "include_" + verbatim asks for it; "" when there is none.
	verbatim string
	options  jsonvalue.Options

	// request sends the operation and returns its JSON answer.
	request func(context.Context, *convo.Client, arguments) ([]byte, error)
}

// reads are all reads of the interface.
func reads() []read {
	return []read{
		workspaceRead(),
		membersRead(),
		agentsRead(),
		agentRead(),
		agentStatsRead(),
	}
}

// schema returns the schema of the read's data source.
func (r read) schema() schema.Schema {
	attributes := maps.Clone(r.arguments)
	maps.Copy(attributes, r.answer)
	maps.Copy(attributes, r.enveloped)
	if r.verbatim != "" {
		attributes[r.verbatim] = schema.StringAttribute{
			Computed:  true,
			Sensitive: true,
			MarkdownDescription: "The whole `" + r.envelope + "` object as the service sent it, as compact JSON with sorted keys. " +
				"Null unless `include_" + r.verbatim + "` is true. Sensitive, because it holds the share token.",
		}
	}
	return schema.Schema{MarkdownDescription: r.description, Attributes: attributes}
}

// decoder returns the decoder of the read's answer.
func (r read) decoder(ctx context.Context, withVerbatim bool) (*jsonvalue.Decoder, error) {
	fields := typesOf(ctx, r.answer)
	if r.envelope != "" {
		fields[r.envelope] = tftypes.Object{AttributeTypes: typesOf(ctx, r.enveloped)}
	}
	if withVerbatim {
		fields[r.envelope+"_json"] = tftypes.String
	}
	return jsonvalue.NewDecoder(tftypes.Object{AttributeTypes: fields}, r.options)
}

func typesOf(ctx context.Context, attributes map[string]schema.Attribute) map[string]tftypes.Type {
	types := make(map[string]tftypes.Type, len(attributes))
	for name, attribute := range attributes {
		types[name] = attribute.GetType().TerraformType(ctx)
	}
	return types
}

// run sends the read with the arguments of a configuration and returns the
// attributes of its result, the arguments among them.
func (r read) run(ctx context.Context, client *convo.Client, config tftypes.Value) (tftypes.Value, diag.Diagnostics) {
	var diags diag.Diagnostics
	var arguments arguments
	if err := config.As((*map[string]tftypes.Value)(&arguments)); err != nil || !config.IsFullyKnown() {
		diags.AddError("Unable to read "+r.noun, "The arguments are not known.")
		return tftypes.Value{}, diags
	}
	subject := subject{noun: r.noun, attribute: r.idArgument, id: arguments.text(r.idArgument), invalid: r.invalid}
	withVerbatim := r.verbatim != "" && arguments.flag("include_"+r.verbatim)

	decoder, err := r.decoder(ctx, withVerbatim)
	if err != nil {
		diags.Append(subject.fault("read", err))
		return tftypes.Value{}, diags
	}
	body, err := r.request(ctx, client, arguments)
	if err != nil {
		diags.Append(subject.failure("read", err))
		return tftypes.Value{}, diags
	}
	answer, problem := subject.decode("read", client, decoder, body)
	if problem != nil {
		diags.Append(problem)
		return tftypes.Value{}, diags
	}

	// A clone, because the map is the configuration's own: the framework still
	// compares with it, which is slow where it has values.
	values := maps.Clone(arguments)
	for name := range r.answer {
		values[name] = answer[name]
	}
	if r.envelope != "" {
		var enveloped map[string]tftypes.Value
		if err := answer[r.envelope].As(&enveloped); err != nil {
			diags.Append(subject.fault("read", err))
			return tftypes.Value{}, diags
		}
		maps.Copy(values, enveloped)
	}
	if withVerbatim {
		values[r.verbatim] = answer[r.envelope+"_json"]
	}
	return tftypes.NewValue(config.Type(), map[string]tftypes.Value(values)), diags
}

// arguments are the attributes of a configuration, all of them known.
type arguments map[string]tftypes.Value

// text returns a string argument, "" when it is not set.
func (a arguments) text(name string) string {
	var text string
	if value, ok := a[name]; ok && !value.IsNull() {
		_ = value.As(&text) // The schema made it a string.
	}
	return text
}

// flag returns a bool argument, false when it is not set.
func (a arguments) flag(name string) bool {
	flag := a.optionalFlag(name)
	return flag != nil && *flag
}

// optionalFlag returns a bool argument, nil when it is not set.
func (a arguments) optionalFlag(name string) *bool {
	var flag *bool
	_ = a[name].As(&flag) // The schema made it a bool.
	return flag
}

// texts returns an argument that is a map of strings, nil when it is not set.
func (a arguments) texts(name string) map[string]string {
	var values map[string]tftypes.Value
	_ = a[name].As(&values) // The schema made it a map.
	texts := make(map[string]string, len(values))
	for key := range values {
		texts[key] = arguments(values).text(key)
	}
	return texts
}
