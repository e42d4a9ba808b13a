// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pipelines_test

import (
	"os"
	"strings"
	"testing"
)

// Runs do not overlap, because each needs the record of the previous one. The engines run one job
// at a time.
func TestRunsDoNotOverlap(t *testing.T) {
	t.Parallel()
	for path, line := range map[string]string{
		"../../.gitlab/audit.yml":                                      "\n  resource_group: convo-audit #",
		"../../examples/audit-in-ci/audit.yml":                         "\n    concurrency: audit-${{ github.ref }} #",
		"../../examples/audit-in-ci/several-workspaces/audit.yml":      "\n    concurrency: audit-${{ matrix.workspace }}-${{ github.ref }}\n",
		"../../examples/audit-in-ci/several-workspaces/.gitlab-ci.yml": "\n  resource_group: audit-larkspur\n",
	} {
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), line) {
			t.Errorf("%s does not contain %q (%v)", path, line, err)
		}
	}
}

// The guide shows only how the GitLab pipeline of several workspaces differs from that of one.
func TestGuideOfSeveralWorkspaces(t *testing.T) {
	t.Parallel()
	one, errOne := os.ReadFile("../../examples/audit-in-ci/.gitlab-ci.yml")
	several, errSeveral := os.ReadFile("../../examples/audit-in-ci/several-workspaces/.gitlab-ci.yml")
	if errOne != nil || errSeveral != nil {
		t.Fatal(errOne, errSeveral)
	}
	const job = "\naudit-larkspur:"
	renamed := strings.NewReplacer("\naudit:", "\n.audit:", "&& $CONVO_TOKEN\n", "&& $CONVO_TOKEN_LARKSPUR\n").Replace(string(one))
	if got, jobs, _ := strings.Cut(string(several), job); got != renamed || !strings.Contains(job+jobs, "\n  extends: .audit\n") {
		t.Errorf("the pipeline begins with:\n%s\nwant:\n%s", got, renamed)
	}
}
