// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/devserver"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
	"github.com/convo/terraform-provider-convo/internal/report"
)

// BenchmarkReport measures each step from the JSON text of an audit of 10,000 agents to
// its report.
func BenchmarkReport(b *testing.B) {
	seed := devserver.DefaultSeed().Agents
	agents := func(edit int) string {
		agents := object{}
		for i := range 10_000 {
			v, err := jsonvalue.Parse(seed[i%len(seed)].Definition)
			if err != nil {
				b.Fatal(err)
			}
			parsed, err := definition.Of(v)
			if err != nil {
				b.Fatal(err)
			}
			digest := parsed.Digest()
			agent := audittest.Agent(object{"definition_hash": audittest.Hash(edit), "definition_parts": digest.Parts.JSON(), "external_hosts": digest.Hosts})
			if edit > 0 {
				agent["domain"] = fmt.Sprint(i, ".example")
			}
			agents[fmt.Sprintf("agt_%024d", i)] = agent
		}
		return audittest.JSON(b, object{"agents": agents})
	}
	first, _, err := audit.Update(parse(b, agents(0)), &audit.Recorded{})
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{"equal": agents(0), "changed": agents(1)} {
		audited := parse(b, text)
		audited.ReadAt = new("2026-03-01T10:00:00Z") // Not that of the record.
		recorded := &audit.Recorded{Record: first.Record}
		assessment, err := audit.Assess(audited, recorded, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name+"/Parse", func(b *testing.B) {
			for b.Loop() {
				parse(b, text)
			}
		})
		b.Run(name+"/Update", func(b *testing.B) {
			for b.Loop() {
				if _, _, err := audit.Update(audited, recorded); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(first.Record))/10_000, "record-B/agent")
		})
		b.Run(name+"/Assess", func(b *testing.B) {
			for b.Loop() {
				if _, err := audit.Assess(audited, recorded, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/New", func(b *testing.B) {
			for b.Loop() {
				report.New(assessment)
			}
		})
	}
}
