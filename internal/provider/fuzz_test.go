// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/devserver"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Whatever the bytes of an answer and whichever read it is for: no panic, and
// a value that Terraform takes, or an error that says why there is none.
func FuzzReads(f *testing.F) {
	seed := devserver.DefaultSeed()
	queries := []query{workspaceQuery(), membersQuery(), agentsQuery(), agentQuery(), agentStatsQuery()}
	for which := range queries {
		f.Add(uint(which), []byte(`{}`))
	}
	for _, workspace := range seed.Workspaces {
		f.Add(uint(0), []byte(`{"workspace":`+string(workspace.Record)+`}`))
		f.Add(uint(1), []byte(`{"members":[`+string(workspace.Lists["members"][0])+`]}`))
	}
	for _, agent := range seed.Agents {
		f.Add(uint(2), []byte(`{"agents":[`+string(agent.Summary)+`]}`))
		f.Add(uint(3), []byte(`{"agent":`+string(agent.Definition)+`,"currentUserMode":"read"}`))
	}
	f.Add(uint(4), []byte(`{"stats":{"totalViews":1,"totalStarts":2.5,"totalCompleted":1e3}}`))

	f.Fuzz(func(t *testing.T, which uint, body []byte) {
		q := queries[which%uint(len(queries))]
		decoder, err := q.decoder(t.Context(), q.verbatim != "")
		if err != nil {
			t.Fatal(err)
		}
		value, err := decoder.Decode(body)
		if err != nil {
			var syntax *jsonvalue.SyntaxError
			var mismatch *jsonvalue.MismatchError
			if !errors.As(err, &syntax) && !errors.As(err, &mismatch) || err.Error() == "" {
				t.Fatalf("unexpected error %v", err)
			}
			return
		}
		dynamic, err := tfprotov6.NewDynamicValue(value.Type(), value)
		if err != nil {
			t.Fatal(err)
		}
		arrived, err := dynamic.Unmarshal(value.Type())
		if err != nil || !arrived.Equal(value) {
			t.Fatalf("%s arrived as %s (%v)", value, arrived, err)
		}
		var fields map[string]tftypes.Value
		if err := value.As(&fields); err != nil {
			t.Fatal(err)
		}
		for name := range q.answer {
			if fields[name].IsNull() {
				t.Errorf("%s: %s is required, but null", q.name, name)
			}
		}
	})
}
