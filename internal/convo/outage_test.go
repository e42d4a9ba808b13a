// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/collect"
	"github.com/convo/terraform-provider-convo/internal/convo"
)

// TestOutages: with the default settings, an audit of a service that is down ends when two reads
// of an agent have waited for a restart. If only statistics fail, that is one problem. The test is here because it needs
// the network in memory.
func TestOutages(t *testing.T) {
	t.Parallel()
	var list []string
	for i := range 1000 {
		list = append(list, fmt.Sprintf(`{"id":"agt_%d","isPublished":true}`, i))
	}
	responses := map[string]string{
		"/v1/workspaces/ws": `{"workspace":{}}`, "/v1/workspaces/ws/members": `{"members":[]}`, "/v1/agents": `{"agents":[` + strings.Join(list, ",") + `]}`,
	}
	audited := func(t *testing.T, fault http.HandlerFunc, failing string) (*audit.Audit, error) {
		n := newHTTPNetwork(t, func(w http.ResponseWriter, r *http.Request) {
			switch body := responses[r.URL.Path]; {
			case body != "":
				_, _ = io.WriteString(w, body)
			case strings.HasSuffix(r.URL.Path, failing):
				fault(w, r)
			default:
				_, _ = io.WriteString(w, `{"agent":{},"currentUserMode":"read"}`)
			}
		})
		client := n.client(t, convo.Config{MaxRetries: new(4), RetryWait: 500 * time.Millisecond})
		a := &audit.Audit{WorkspaceID: "ws", StatsPeriods: []string{"today"}}
		begin := time.Now()
		err := collect.Audit(t.Context(), client, a, func(int, int) {})
		if took := time.Since(begin); took > 90*time.Second {
			t.Errorf("took %s", took)
		}
		return a, err
	}
	for name, fault := range map[string]http.HandlerFunc{"500": respond(500, ""), "dropped": dropped} {
		synctest.Test(t, func(t *testing.T) {
			if _, err := audited(t, fault, ""); err == nil {
				t.Errorf("%s: the audit succeeded", name)
			}
		})
		synctest.Test(t, func(t *testing.T) {
			a, err := audited(t, fault, "/stats")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			failed := slices.DeleteFunc(a.Problems, func(p audit.Problem) bool { return p.Kind != audit.ReadFailed })
			if len(failed) != 1 || failed[0].Operation != "read agent statistics (today)" || failed[0].AgentID != nil {
				t.Errorf("%s: got the problems %v", name, failed)
			}
		})
	}
}
