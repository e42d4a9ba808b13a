// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition_test

import (
	"encoding/json"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/benchtest"
	"github.com/convo/terraform-provider-convo/internal/devserver"
	"github.com/convo/terraform-provider-convo/internal/devserver/devservertest"
)

// BenchmarkDigest compares digests with decoding the same definitions into any. A digest parses the
// text into a tree, hashes each object and list, and searches each text for hosts.
func BenchmarkDigest(b *testing.B) {
	for name, agents := range map[string][]devserver.Agent{
		"1000 agents":   devservertest.ManyAgents(1000).Agents,
		"one of 1.4 MB": {devservertest.LargeAgent("agt_large", 1400<<10)},
	} {
		b.Run(name, func(b *testing.B) {
			benchtest.Compare(b, func() {
				for _, agent := range agents {
					if _, err := digestIn(string(agent.Definition)); err != nil {
						b.Fatal(err)
					}
				}
			}, func() {
				for _, agent := range agents {
					var value any
					if err := json.Unmarshal(agent.Definition, &value); err != nil {
						b.Fatal(err)
					}
				}
			}, 4)
		})
	}
}
