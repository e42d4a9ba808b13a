// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

func TestWithheld(t *testing.T) {
	t.Parallel()
	typ := objectOf(types{
		"agent": objectOf(types{
			"name": tftypes.String,
			"access": objectOf(types{
				"share": objectOf(types{"token": tftypes.String, "token_json": tftypes.String, "tokens": listOf(tftypes.String)}), "share_json": tftypes.String,
				"shares": listOf(objectOf(types{"all_json": tftypes.String})),
			}),
			"access_json": tftypes.String,
			"text":        tftypes.String,
		}),
		"agent_json": tftypes.String,
		"other_json": tftypes.String,
	})
	options := jsonvalue.Options{Withheld: []string{
		"agent.access.share.token", "agent.access.share.tokens", "agent.text.secret", "agent.access.shares.all.key", "agent.zoo.a", "agent.zoo.a.b", "agent.no.such.place",
	}}
	type object = map[string]any
	type list = []any
	tests := map[string]struct {
		agent string
		want  object // At agent: what is not null.
		text  string // At agent_json.
	}{
		"a string": {
			`{"name":"n","access":{"share":{"token":"t","rules":1}}}`,
			object{"name": "n", "access": object{"share": object{"token": "t"}, "share_json": `{"rules":1,"token":null}`},
				"access_json": `{"share":{"rules":1,"token":null}}`},
			`{"access":{"share":{"rules":1,"token":null}},"name":"n"}`,
		},
		"another kind": {
			`{"access":{"share":{"token":{"value":["t"],"token":"t"}}}}`,
			object{"access": object{"share": object{"token": `{"token":"t","value":["t"]}`}, "share_json": `{"token":null}`},
				"access_json": `{"share":{"token":null}}`},
			`{"access":{"share":{"token":null}}}`,
		},
		"elements of another kind": {
			`{"access":{"share":{"tokens":[["t"],1]}}}`,
			object{"access": object{"share": object{"tokens": list{`["t"]`, "1"}}, "share_json": `{"tokens":null}`},
				"access_json": `{"share":{"tokens":null}}`},
			`{"access":{"share":{"tokens":null}}}`,
		},
		"equal keys": {
			`{"access":{"share":{"token":"a","token":"b"}},"access":{"share":{"token":"c"},"share":{"token":"d","token":5}}}`,
			object{"access": object{"share": object{"token": "5"}, "share_json": `{"token":null}`}, "access_json": `{"share":{"token":null}}`},
			`{"access":{"share":{"token":null}}}`,
		},
		"escaped keys": {
			`{"\u0061ccess":{"sh\u0061re":{"tok\u0065n":"a"}}}`,
			object{"access": object{"share": object{"token": "a"}, "share_json": `{"token":null}`}, "access_json": `{"share":{"token":null}}`},
			`{"access":{"share":{"token":null}}}`,
		},
		"arrays on the way": {
			`{"access":{"shares":[{"all":[{"key":1,"kez":2}]},{"all":[[{"key":[3]}]]}]}}`,
			object{"access": object{"shares": list{object{"all_json": `[{"key":null,"kez":2}]`}, object{"all_json": `[[{"key":null}]]`}}},
				"access_json": `{"shares":[{"all":[{"key":null,"kez":2}]},{"all":[[{"key":null}]]}]}`},
			`{"access":{"shares":[{"all":[{"key":null,"kez":2}]},{"all":[[{"key":null}]]}]}}`,
		},
		"an object in a string attribute": {
			`{"text":{"secret":1,"public":2}}`,
			object{"text": `{"public":2,"secret":null}`},
			`{"text":{"public":2,"secret":null}}`,
		},
		"a place in a place": {`{"zoo":{"a":{"b":1,"c":2}}}`, object{}, `{"zoo":{"a":null}}`},
		"other places":       {`{"token":1,"access":{"token":2,"x":{"share":{"token":3}}}}`, object{"access": object{}, "access_json": `{"token":2,"x":{"share":{"token":3}}}`}, `{"access":{"token":2,"x":{"share":{"token":3}}},"token":1}`},
		"absent":             {`{"access":{"share":{}}}`, object{"access": object{"share": object{}, "share_json": `{}`}, "access_json": `{"share":{}}`}, `{"access":{"share":{}}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := decode(t, typ, options, `{"agent":`+test.agent+`,"other":{"access":{"share":{"token":"t"}}}}`)
			want := object{"agent": test.want, "agent_json": test.text, "other_json": `{"access":{"share":{"token":"t"}}}`}
			if diff := cmp.Diff(any(want), withoutNull(got)); diff != "" {
				t.Errorf("unexpected value (-want +got):\n%s", diff)
			}
		})
	}
}

// withoutNull returns a value without the null attributes of its objects.
func withoutNull(value any) any {
	switch value := value.(type) {
	case map[string]any:
		result := map[string]any{}
		for name, attribute := range value {
			if attribute != nil {
				result[name] = withoutNull(attribute)
			}
		}
		return result
	case []any:
		result := []any{}
		for _, element := range value {
			result = append(result, withoutNull(element))
		}
		return result
	}
	return value
}
