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

// query describes one read operation of the interface: what it is asked, what
// it answers and how it is sent.
type query struct {
	name, noun, description string
	arguments               map[string]schema.Attribute
	// idArgument is the argument that names what is read, and target what it
	// names; "" for a query of all there is.
	idArgument, target string
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
	request func(context.Context, *convo.Client, arguments) (*convo.Response, error)
}

// read makes a read of the query alone.
func (q query) read() read {
	return read{
		name: q.name, noun: q.noun, description: q.description, arguments: q.arguments, results: q.results(),
		fetch: func(ctx context.Context, client *convo.Client, a arguments) (map[string]tftypes.Value, diag.Diagnostics) {
			results, err := q.fetch(ctx, client, a)
			if err != nil {
				return nil, diag.Diagnostics{q.subject(a).failure("read", err)}
			}
			return results, nil
		},
	}
}

// results are the attributes that come of the query.
func (q query) results() map[string]schema.Attribute {
	results := map[string]schema.Attribute{}
	maps.Copy(results, q.answer)
	maps.Copy(results, q.enveloped)
	if q.verbatim != "" {
		results[q.verbatim] = schema.StringAttribute{
			Computed:  true,
			Sensitive: true,
			MarkdownDescription: "Everything that the service sent in the `" + q.envelope + "` object, as compact JSON with sorted keys. " +
				"Null unless `include_" + q.verbatim + "` is true. Sensitive, because it holds the share token.",
		}
	}
	return results
}

// subject is what the query is about with the given arguments.
func (q query) subject(a arguments) subject {
	return subject{noun: q.noun, target: q.target, attribute: q.idArgument, id: a.text(q.idArgument), invalid: q.invalid}
}

// decoder returns the decoder of the query's answer.
func (q query) decoder(ctx context.Context, withVerbatim bool) (*jsonvalue.Decoder, error) {
	fields := typesOf(ctx, q.answer)
	if q.envelope != "" {
		fields[q.envelope] = tftypes.Object{AttributeTypes: typesOf(ctx, q.enveloped)}
	}
	if withVerbatim {
		fields[q.envelope+"_json"] = tftypes.String
	}
	return jsonvalue.NewDecoder(tftypes.Object{AttributeTypes: fields}, q.options)
}

// fetch sends the query and returns its results.
func (q query) fetch(ctx context.Context, client *convo.Client, a arguments) (map[string]tftypes.Value, error) {
	withVerbatim := q.verbatim != "" && a.flag("include_"+q.verbatim)
	decoder, err := q.decoder(ctx, withVerbatim)
	if err != nil {
		return nil, &faultError{err}
	}
	response, err := q.request(ctx, client, a)
	if err != nil {
		return nil, err
	}
	answer, err := decode(ctx, client, decoder, response)
	if err != nil {
		return nil, err
	}
	results := map[string]tftypes.Value{}
	for name := range q.answer {
		results[name] = answer[name]
	}
	if q.envelope != "" {
		var enveloped map[string]tftypes.Value
		if err := answer[q.envelope].As(&enveloped); err != nil {
			return nil, &faultError{err}
		}
		maps.Copy(results, enveloped)
	}
	if q.verbatim != "" {
		results[q.verbatim] = tftypes.NewValue(tftypes.String, nil)
	}
	if withVerbatim {
		results[q.verbatim] = answer[q.envelope+"_json"]
	}
	return results, nil
}

// decode decodes the answer to an operation, of which it returns the fields.
// Its error is an *answerError when the answer breaks the interface.
func decode(ctx context.Context, client *convo.Client, decoder *jsonvalue.Decoder, response *convo.Response) (map[string]tftypes.Value, error) {
	value, _, err := decoder.Decode(ctx, response.Body)
	if err != nil && ctx.Err() != nil {
		return nil, &convo.TransportError{Operation: "decode the response", Attempts: 1, Reason: convo.ReasonCancelled, Err: err}
	}
	if err != nil {
		return nil, &answerError{said: client.ErrorIn(response), err: err}
	}
	var fields map[string]tftypes.Value
	if err := value.As(&fields); err != nil {
		return nil, &faultError{err}
	}
	return fields, nil
}

// answerError is a 200 that breaks the interface.
type answerError struct {
	// said is what the answer says for itself.
	said *convo.ResponseError
	// err says where it breaks the interface.
	err error
}

func (e *answerError) Error() string { return e.err.Error() }
func (e *answerError) Unwrap() error { return e.err }

// faultError is what only a mistake in the provider can cause.
type faultError struct{ err error }

func (e *faultError) Error() string { return e.err.Error() }
