// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// operation describes one read operation of the API: its arguments, the fields
// of its response, and how it is sent.
type operation struct {
	name, description string
	// noun completes "Unable to read ..."; "" for the words of the name.
	noun      string
	arguments attributes
	// idArgument is the argument that names an object, and begins with the kind
	// of that object, as in "workspace_id"; "" for an operation without an ID.
	idArgument string
	// invalid is the advice after a 400; "" if the service's own issues suffice.
	invalid string

	// fields are the attributes for the fields of the response itself.
	fields attributes
	// object is the field of the response whose own fields become attributes,
	// described by objectFields; "" for none.
	object       string
	objectFields attributes
	// document is the attribute that holds the whole object as JSON if the
	// argument "include_" + document is true; "" for none.
	document            string
	documentDescription string
	// list is the required field of the response that should list all objects,
	// with a warning if it is incomplete, and sortBy are the paths in an element by
	// which it is sorted; "" for none.
	list    string
	sortBy  []string
	options jsonvalue.Options
	// derived are attributes that derive computes from the others; nil for none.
	derived attributes
	derive  func(values) values

	// request sends the operation.
	request func(context.Context, *convo.Client, values) (*convo.Response, error)
}

// read returns a read that consists of the operation alone.
func (o operation) read() read {
	return read{
		name: o.name, noun: o.subject(values{}).noun, description: o.description, arguments: o.arguments, results: o.results(),
		fetch: func(ctx context.Context, c *connection, arguments values) (values, diag.Diagnostics) {
			results, signs, err := o.fetch(ctx, c.client, arguments)
			if err != nil {
				return nil, diag.Diagnostics{c.failure(o.subject(arguments), "read", err)}
			}
			if len(signs) > 0 {
				return results, diag.Diagnostics{incompleteListWarning(o.list, signs)}
			}
			return results, nil
		},
	}
}

// results returns the attributes that the operation fills.
func (o operation) results() attributes {
	results := union(o.fields, o.objectFields, o.derived)
	if o.document != "" {
		results[o.document] = schema.StringAttribute{Computed: true, MarkdownDescription: o.documentDescription}
	}
	return results
}

// subject returns the subject of the operation's errors.
func (o operation) subject(arguments values) subject {
	return subject{
		noun: cmp.Or(o.noun, strings.ReplaceAll(o.name, "_", " ")), target: strings.TrimSuffix(o.idArgument, "_id"), attribute: o.idArgument,
		id: arguments.text(o.idArgument), invalid: o.invalid,
	}
}

// byID returns the request of an operation whose only argument is an ID.
func byID(argument string, send func(*convo.Client, context.Context, string) (*convo.Response, error)) func(context.Context, *convo.Client, values) (*convo.Response, error) {
	return func(ctx context.Context, client *convo.Client, arguments values) (*convo.Response, error) {
		return send(client, ctx, arguments.text(argument))
	}
}

// decoder returns the decoder of the operation's response.
func (o operation) decoder(ctx context.Context, withDocument bool) (*jsonvalue.Decoder, error) {
	fields := typesOf(ctx, o.fields)
	if o.object != "" {
		fields[o.object] = objectType(ctx, o.objectFields)
	}
	if withDocument {
		fields[o.object+"_json"] = tftypes.String
	}
	options := o.options
	if o.list != "" {
		options.Required = append(slices.Clone(options.Required), o.list)
	}
	options.Required = slices.DeleteFunc(slices.Clone(options.Required), func(key string) bool { return strings.Contains(key, ".") })
	return jsonvalue.NewDecoder(tftypes.Object{AttributeTypes: fields}, options)
}

// fetch sends the operation and returns its results, and the signs that its
// list is incomplete.
func (o operation) fetch(ctx context.Context, client *convo.Client, arguments values) (results values, signs []string, err error) {
	withDocument := o.document != "" && arguments.isTrue("include_"+o.document)
	decoder, err := o.decoder(ctx, withDocument)
	if err != nil {
		return nil, nil, &faultError{err}
	}
	return o.fetchWith(ctx, client, decoder, arguments)
}

// fetchWith is fetch with a decoder that can serve many requests.
func (o operation) fetchWith(ctx context.Context, client *convo.Client, decoder *jsonvalue.Decoder, arguments values) (results values, signs []string, err error) {
	response, err := o.request(ctx, client, arguments)
	if err != nil {
		return nil, nil, err
	}
	fields, rest, err := decode(ctx, client, decoder, response)
	if err != nil {
		return nil, nil, err
	}
	if o.list != "" {
		signs = signsOfMore(response, rest, len(fields.list(o.list)), client.Quote)
		fields[o.list] = o.sorted(fields[o.list])
	}
	results = values{}
	maps.Copy(results, fields.object(o.object))
	for name := range o.fields {
		results[name] = fields[name]
	}
	if o.document != "" {
		document, ok := fields[o.object+"_json"]
		if !ok {
			document = tftypes.NewValue(tftypes.String, nil)
		}
		results[o.document] = document
	}
	if o.derive != nil {
		maps.Copy(results, o.derive(results))
	}
	return results, signs, nil
}

// sorted returns a list sorted by the strings at the paths of sortBy, and
// elements that are equal in all of them by their text.
func (o operation) sorted(list tftypes.Value) tftypes.Value {
	type keyed struct {
		value tftypes.Value
		keys  []string
	}
	var elements []keyed
	for _, value := range (values{o.list: list}).list(o.list) {
		var keys []string
		for _, path := range o.sortBy {
			part := value
			for _, key := range strings.Split(path, ".") {
				part = objectOf(part)[attributeName(key)]
			}
			keys = append(keys, textOf(part))
		}
		elements = append(elements, keyed{value, keys})
	}
	slices.SortStableFunc(elements, func(a, b keyed) int {
		if order := slices.Compare(a.keys, b.keys); order != 0 {
			return order
		}
		return strings.Compare(a.value.String(), b.value.String())
	})
	result := make([]tftypes.Value, len(elements))
	for i, element := range elements {
		result[i] = element.value
	}
	return tftypes.NewValue(list.Type(), result)
}

// attributeName is the attribute for a key: full_name for fullName.
func attributeName(key string) string {
	var name strings.Builder
	for _, r := range key {
		if r >= 'A' && r <= 'Z' {
			name.WriteByte('_')
			r += 'a' - 'A'
		}
		name.WriteRune(r)
	}
	return name.String()
}

// decode decodes a response and returns its fields, and the rest of the fields,
// which the decoder's type does not name. Its error is the context's, or an
// *invalidResponseError when the response does not conform to the API.
func decode(ctx context.Context, client *convo.Client, decoder *jsonvalue.Decoder, response *convo.Response) (fields values, rest map[string]json.RawMessage, err error) {
	value, rest, err := decoder.Decode(response.Body)
	switch {
	case err == nil:
		return objectOf(value), rest, nil
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	}
	return nil, nil, &invalidResponseError{content: client.ErrorIn(response), err: err}
}

// invalidResponseError is a 200 that does not conform to the API.
type invalidResponseError struct {
	// content is the response as an error of the service.
	content *convo.ResponseError
	// err describes how the response violates the API.
	err error
}

func (e *invalidResponseError) Error() string { return e.err.Error() }
func (e *invalidResponseError) Unwrap() error { return e.err }

// faultError is an error that only a mistake in the provider can cause.
type faultError struct{ err error }

func (e *faultError) Error() string { return e.err.Error() }
func (e *faultError) Unwrap() error { return e.err }
