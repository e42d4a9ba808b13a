// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// The server reads data sources faster than the framework, which TestReadParity
// compares with it. Whether that is still so must be measured again for each
// version of the framework.
func TestFastReadIsMeasured(t *testing.T) {
	t.Parallel()
	required := regexp.MustCompile(`terraform-plugin-framework (v\d+\.\d+)\.`).FindStringSubmatch(readText(t, "../../go.mod"))
	measured := regexp.MustCompile(`terraform-plugin-framework \((v\d+\.\d+)\)`).FindStringSubmatch(readText(t, "fast_read.go"))
	if required == nil || measured == nil {
		t.Fatal("go.mod or fast_read.go does not name the version of terraform-plugin-framework")
	}
	if required[1] != measured[1] {
		t.Errorf("fast_read.go was measured with terraform-plugin-framework %s, but go.mod requires %s. Measure whole plans again with and "+
			"without its ReadDataSource method (make bench-plan). If they take the same time now, remove fast_read.go. Otherwise, "+
			"update its comment.", measured[1], required[1])
	}
}

// A type that is no data source is the framework's to report.
func TestReadOfAnUnknownType(t *testing.T) {
	t.Parallel()
	p := configured(t, startService(t))
	config := p.dynamic(p.schema.DataSourceSchemas["convo_agents"].ValueType(), object{})
	resp := rpc(p, p.server.ReadDataSource, &tfprotov6.ReadDataSourceRequest{TypeName: "convo_other", Config: config})
	requireError(t, resp.Diagnostics, "Data Source Type Not Found", "convo_other")
}
