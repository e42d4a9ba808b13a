// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Nothing of a payload from a sensitive variable is in what a run prints or logs
// at TRACE, whether the payload is valid or not.
func TestPayloadOfARealRun(t *testing.T) {
	t.Parallel()
	const secret = "payload-secret-1066"
	s := startService(t)
	r := newRealRun(t, `
variable "payload" {
  type      = string
  sensitive = true
}
provider "convo" {}
resource "convo_session_agent" "a" {
  session_id = "ses_orders_open"
  payload    = var.payload
}
`)
	trace := filepath.Join(r.root, "trace.log")
	variables := append(s.variables(), "TF_LOG=TRACE", "TF_LOG_PATH="+trace)
	r.mustRun(variables, "init")

	var output string
	for _, payload := range []string{secret, `{"key":"` + secret, `["` + secret + `"]`} {
		failed, err := r.run(append(variables, "TF_VAR_payload="+payload), "plan")
		if err == nil || !strings.Contains(failed, "The value must be a JSON object, such as the result of jsonencode({ ... }).") {
			t.Errorf("got %v:\n%s", err, failed)
		}
		output += failed
	}
	valid := `{"agentId":"agt_returns","note":"` + secret + `"}`
	output += r.mustRun(append(variables, "TF_VAR_payload="+valid), "apply", "-auto-approve")
	same := r.mustRun(append(variables, `TF_VAR_payload={ "note": "`+secret+`", "agentId": "agt_returns" }`), "plan")
	if !strings.Contains(same, "No changes.") {
		t.Errorf("another form of the payload is a change:\n%s", same)
	}
	output += same
	if diff := cmp.Diff([]string{"POST /v1/sessions/ses_orders_open/updateAgent " + valid}, s.sentBodies()); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
	log, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(log), "/v1/sessions/ses_orders_open/updateAgent") {
		t.Error("the log does not have the update")
	}
	for name, text := range map[string]string{"output": output, "log": string(log)} {
		if strings.Contains(text, secret) {
			t.Errorf("the %s has the payload", name)
		}
	}
}
