// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/provider"
)

func TestValidSchema(t *testing.T) {
	t.Parallel()
	var written bytes.Buffer
	if err := write(t.Context(), provider.NewServer("test")(), &written); err != nil {
		t.Fatal(err)
	}
	var schemas struct {
		Providers map[string]map[string]any `json:"provider_schemas"`
	}
	if err := json.Unmarshal(written.Bytes(), &schemas); err != nil {
		t.Fatal(err)
	}
	sources, _ := schemas.Providers["convo"]["data_source_schemas"].(map[string]any)
	if _, ok := sources["convo_workspace_audit"]; !ok {
		t.Errorf("convo_workspace_audit is not among %v", sources)
	}
}
