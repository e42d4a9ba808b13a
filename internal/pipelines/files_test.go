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
