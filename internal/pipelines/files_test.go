// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pipelines_test

import (
	"os"
	"testing"

	"sigs.k8s.io/yaml"
)

// Runs do not overlap, because each needs the record of the previous one. The engines run one job
// at a time.
func TestRunsDoNotOverlap(t *testing.T) {
	t.Parallel()
	var gitLab map[string]struct {
		Group string `json:"resource_group"`
	}
	var workflow struct {
		Jobs map[string]struct {
			Concurrency string `json:"concurrency"`
		} `json:"jobs"`
	}
	for path, into := range map[string]any{"../../.gitlab/audit.yml": &gitLab, "../../examples/audit-in-ci/audit.yml": &workflow} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
	}
	if got := gitLab[".convo-audit"].Group; got != "convo-audit" {
		t.Errorf("the resource group is %q", got)
	}
	if got := workflow.Jobs["audit"].Concurrency; got != "audit-${{ github.ref }}" {
		t.Errorf("the concurrency group is %q", got)
	}
}
