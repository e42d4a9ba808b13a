// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package apitest_test

import (
	"bytes"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/apitest"
)

// The document is valid OpenAPI, also its examples, and describes version 1.0.1 of the API.
func TestDocument(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromData(api.Document)
	if err != nil {
		t.Fatal(err)
	}
	if err := document.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if document.Info.Version != "1.0.1" {
		t.Errorf("got the version %s", document.Info.Version)
	}
	// Deviation shows the keys that lead to a value. No type may be documented for the values of keys that a service chooses.
	if bytes.Count(api.Document, []byte("additionalProperties")) > 1 {
		t.Error("more than the query parameters of listAgents have additionalProperties")
	}
	for _, o := range apitest.Operations() {
		if o.Name == "" {
			t.Errorf("%s %s has no operationId", o.Method, o.Path)
		}
	}
}
