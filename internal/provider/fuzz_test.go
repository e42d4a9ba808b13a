// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Whatever the bytes of a response and whichever read it is for: no panic, and
// a value that Terraform accepts, or an error with the reason.
func FuzzReads(f *testing.F) {
	all := operations()
	s := startService(f)
	for which, o := range all {
		f.Add(uint(which), []byte(`{}`))
		for _, c := range readCases() {
			if c.source == typeName(o.name) {
				f.Add(uint(which), s.get(f, c.requests[0]))
			}
		}
	}

	f.Fuzz(func(t *testing.T, which uint, body []byte) {
		o := all[which%uint(len(all))]
		decoder, err := o.decoder(t.Context(), o.document != "")
		if err != nil {
			t.Fatal(err)
		}
		value, _, err := decoder.Decode(body)
		if err != nil {
			var syntax *jsonvalue.SyntaxError
			var mismatch *jsonvalue.MismatchError
			if !errors.As(err, &syntax) && !errors.As(err, &mismatch) || err.Error() == "" {
				t.Fatalf("unexpected error %v", err)
			}
			return
		}
		encoded, err := encode(value)
		if err != nil {
			t.Fatal(err)
		}
		arrived, err := tfprotov6.DynamicValue{MsgPack: encoded}.Unmarshal(value.Type())
		if err != nil || !arrived.Equal(value) {
			t.Fatalf("%s arrived as %s (%v)", value, arrived, err)
		}
		var fields map[string]tftypes.Value
		if err := value.As(&fields); err != nil {
			t.Fatal(err)
		}
		for name := range o.fields {
			if fields[name].IsNull() {
				t.Errorf("%s: %s is required, but null", o.name, name)
			}
		}
	})
}
