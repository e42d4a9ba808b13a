// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
)

func keysOf(findings []audit.Finding) []string {
	var keys []string
	for _, f := range findings {
		keys = append(keys, f.Level+" "+f.Key)
	}
	return keys
}

// A finding is accepted by its rule, by its rule and ID, and by its key, but a change only by
// its rule or key.
func TestAccepted(t *testing.T) {
	t.Parallel()
	earlier := stored(t, nil)
	red := withAgent(object{"domain": "evil.example", "external_hosts": list{"evil.example"}})
	red["problems"] = list{
		object{"kind": "read_failed", "agent_id": "agt_1", "operation": "read agent statistics (last30Days)"},
		object{"kind": "read_failed", "agent_id": nil, "operation": "list members"},
	}
	const (
		stats   = "read_failed/agt_1/read_agent_statistics_last30Days"
		members = "read_failed/list_members"
	)
	domain := *planned(t, red, earlier).Changes[1].Key // The hosts have it, too.
	if !regexp.MustCompile(`^access_changed/agt_1/[a-z2-7]{24}$`).MatchString(domain) {
		t.Errorf("unexpected key %q", domain)
	}
	for key, accepts := range map[string][]string{
		domain:                 {domain},
		"access_changed":       {domain},
		"access_changed/agt_1": nil,
		"access_changed/agt_1/aaaaaaaaaaaaaaaaaaaaaaaa": nil,
		stats:               {stats},
		"read_failed/agt_1": {stats},
		"read_failed":       {stats, members},
		"read_failed/":      nil,
		"removed":           nil,
	} {
		earlier.Accepted = map[string]string{key: "Known."}
		record := planned(t, red, earlier)
		got := assess(t, red, record)
		var accepted []string
		for _, f := range got.Findings {
			reason := "Known."
			if f.Key != key {
				reason = key + ": Known."
			}
			if f.Level == audit.LevelAccepted {
				accepted = append(accepted, f.Key)
				if f.Reason != reason {
					t.Errorf("%s: %s has the reason %q", key, f.Key, f.Reason)
				}
			}
		}
		if !slices.Equal(accepted, accepts) {
			t.Errorf("%s: accepted are %q, want %q", key, accepted, accepts)
		}
		if isUnneeded := slices.Equal(got.Unneeded, []string{key}); isUnneeded != (accepts == nil) {
			t.Errorf("%s: not needed are %q", key, got.Unneeded)
		}
		// Only changes of access keep an audit from being recorded, and any key may be one of the user's own rules.
		if refused := got.Refused(); (len(refused) == 0) != slices.Contains(accepts, domain) || strings.Contains(fmt.Sprint(refused), "match no finding") {
			t.Errorf("%s: refused are %q", key, refused)
		}
	}
}

// A key is usable whatever the ID is: it is one line, and nothing in it ends code or the
// cell of a table.
func TestKeysOfOddIDs(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		" a\nb": "%20a%0Ab", "a/b": "a%2Fb", "a|b`": "a%7Cb%60", "::error::": "%3A%3Aerror%3A%3A", "##[a]": "%23%23%5Ba%5D",
	} {
		members := object{"members": list{audittest.Member("ADMIN", name, nil)}}
		record := planned(t, members, stored(t, object{"members": list{}}))
		key := assess(t, members, record).Findings[0].Key
		if !strings.HasPrefix(key, "access_changed/"+want+"/") {
			t.Errorf("%q: unexpected key %q", name, key)
		}
		record.Accepted = map[string]string{key: "Known."}
		if got := assess(t, members, record); got.Findings[0].Level != "accepted" || len(got.Refused()) > 0 {
			t.Errorf("%q: the key %q does not accept the finding", name, key)
		}
	}
}

// An incomplete finding of a policy is an error with what it has.
func TestOwnFindings(t *testing.T) {
	t.Parallel()
	own := []*audit.OwnFinding{
		{new("warning"), new("owners"), new("agt_1"), new("No owner.")},
		{new("error"), new("admins"), new("ann@example.com"), new("Too many roles.")},
		{new("error"), new("general"), nil, new("Something.")},
		nil,
		{new("error"), nil, nil, new("Something.")},
		{nil, new("level"), new("agt_1"), new("Something.")},
		{new("warning"), new("message"), new(""), nil},
		{new("error"), new("read_failed"), new("agt_1"), new("Something.")},
	}
	const needs = " in policies needs a rule that is not built in, a message, and the level error or warning. It has the rule "
	want := []string{
		"error admins/ann@example.com Ann: Too many roles.",
		"error general/FP : Something.",
		`error policies/FP : The finding with index 3` + needs + `"", the message "", and the level "".`,
		`error policies/FP : The finding with index 4` + needs + `"", the message "Something.", and the level "error".`,
		`error policies/agt_1/FP Orders: The finding with index 5` + needs + `"level", the message "Something.", and the level "".`,
		`error policies/no%20email%20address : The finding with index 6` + needs + `"message", the message "", and the level "warning".`,
		`error policies/agt_1/FP Orders: The finding with index 7` + needs + `"read_failed", the message "Something.", and the level "error".`,
		"accepted owners/agt_1 Orders: No owner.",
	}
	got := assess(t, nil, &audit.History{Accepted: map[string]string{"owners/agt_1": "Ann is on leave."}}, own...)
	if diff := cmp.Diff(want, textsOf(got.Findings)); diff != "" {
		t.Errorf("unexpected findings (-want +got):\n%s", diff)
	}
	wrong := &audit.OwnFinding{Level: new("eror"), Rule: new("owners")}
	if _, err := audit.Assess(parse(t, audittest.JSON(t, nil)), nil, append(own, wrong)); err == nil ||
		err.Error() != `the finding with index 8, of the rule "owners", has the level "eror", which must be error or warning` {
		t.Errorf("the error about a wrong level is %v", err)
	}
	if last := got.Findings[len(got.Findings)-1]; last.Reason != "Ann is on leave." || last.ID != "agt_1" {
		t.Errorf("unexpected finding %v", last)
	}
}

// No two findings have the same key, and the key of their rule and ID accepts them all. A line names an agent once.
func TestKeysAreUnique(t *testing.T) {
	t.Parallel()
	found := func(level, message string) *audit.OwnFinding {
		return &audit.OwnFinding{Level: &level, Rule: new("hosts"), ID: new("agt_1"), Message: new(message)}
	}
	audited := withAgent(object{"graph_findings": list{
		object{"kind": "unused_variable", "id": "v1", "message": "Unused."}, object{"kind": "unused_variable", "id": "v2", "message": "Unused."},
	}})
	accepted := map[string]string{}
	for _, isAccepted := range []bool{false, true} {
		got := assess(t, audited, &audit.History{Accepted: accepted}, found("error", "a.example"), found("error", "b.example"), found("error", "b.example"), found("warning", "b.example"))
		keys := map[string]bool{}
		for _, f := range got.Findings {
			keys[f.Key] = true
			if f.Rule == "hosts" && (f.Level == "accepted") != isAccepted {
				t.Errorf("unexpected finding %v", f)
			}
		}
		if len(keys) != 5 || len(got.Findings) != 5 || !keys["unused_variable/agt_1/v2"] {
			t.Errorf("the findings are %v", got.Findings)
		}
		if lines := got.Lines("warning"); lines[len(lines)-1] != "unused_variable\n  Orders (agt_1): Unused." {
			t.Errorf("the lines are %q", lines)
		}
		accepted["hosts/agt_1"] = "Known."
	}
}

// A plan repeats the heaviest warnings only.
func TestManyWarnings(t *testing.T) {
	t.Parallel()
	var own []*audit.OwnFinding
	for _, rule := range []string{"a", "b", "c", "d", "e"} {
		own = append(own, &audit.OwnFinding{Level: new("warning"), Rule: new(rule), ID: new("agt_1"), Message: new("Look at " + rule + ".")})
	}
	lines := assess(t, nil, nil, own...).Lines(audit.LevelWarning)
	if len(lines) != 4 || lines[0] != "a\n  Orders (agt_1): Look at a." || lines[3] != "and 2 more findings in the report" {
		t.Errorf("got %q", lines)
	}
}

// Errors have at most 15,000 bytes. A long message leaves room for others, and the keys without
// room are counted, also those of equal findings.
func TestManyErrors(t *testing.T) {
	t.Parallel()
	message := strings.Repeat("💥", 9000)
	for _, test := range []struct {
		rules    int
		accepted string
		lines    int
		last     string
	}{
		{20, "", 20, "rule19/agt_1\nrule19/agt_2\n  "},
		{90, "", 51, "and 80 more findings in the report\n  What to do: "},
		{90, strings.Repeat("k", 9000), 51, "and 80 more findings in the report\n\n  These keys in accepted"},
	} {
		var own []*audit.OwnFinding
		for i := range test.rules {
			for _, id := range []string{"agt_1", "agt_2"} {
				own = append(own, &audit.OwnFinding{Level: new("error"), Rule: new(fmt.Sprint("rule", i)), ID: &id, Message: &message})
			}
		}
		recorded := stored(t, nil)
		if test.accepted != "" {
			recorded.Accepted = map[string]string{test.accepted: "Known."}
		}
		lines := assess(t, nil, recorded, own...).Lines(audit.LevelError)
		size, last := len(strings.Join(lines, "\n\n")), lines[len(lines)-1]
		if size > 15_000 || len(lines) != test.lines || !strings.HasPrefix(last, test.last) || !strings.HasPrefix(lines[0], "rule0/agt_1\nrule0/agt_2\n  ") {
			t.Errorf("%d rules: %d lines with %d bytes, of which the last is %.200q", test.rules, len(lines), size, last)
		}
	}
}

// Of many changes, the older half is removed, but none that is new.
func TestKeptChanges(t *testing.T) {
	t.Parallel()
	for before, want := range map[int]int{199: 200, 200: 100} {
		if got := planned(t, nil, &audit.History{Changes: make([]audit.Change, before)}); len(got.Changes) != want {
			t.Errorf("of %d changes and a new one, %d stay, want %d", before, len(got.Changes), want)
		}
	}
	agents := object{"agt_1": audittest.Agent(nil)}
	for i := range 250 {
		agents[fmt.Sprint(i)] = audittest.Agent(nil)
	}
	if got := planned(t, object{"agents": agents}, stored(t, nil)); len(got.Changes) != 250 {
		t.Errorf("of 250 new changes, %d stay", len(got.Changes))
	}
}

// Causes come before their consequences: with another token, agents are foreign, and much
// has changed.
func TestOrderOfFindings(t *testing.T) {
	t.Parallel()
	agent := audittest.Agent(object{"domain": "evil.example", "workspace_ref": "ws_2", "graph_findings": list{object{"kind": "dangling_link", "id": "e1", "message": "m"}}})
	red := object{
		"workspace": audittest.Workspace(object{"is_suspended": true, "is_past_due": true, "is_quarantined": true}), "agents": object{"agt_1": agent}, "emails_by_role": object{},
		"problems": list{object{"kind": "contradiction", "operation": "list agents"}, object{"kind": "read_failed", "agent_id": "agt_1", "operation": "read agent"}},
	}
	record := planned(t, red, stored(t, nil))
	want := []string{
		"error workspace_quarantined", "error workspace_suspended", "error foreign_agents/agt_1", "error no_admins", "error read_failed/agt_1/read_agent",
		"error " + *record.Changes[1].Key, "warning workspace_past_due", "warning contradiction/list_agents", "warning dangling_link/agt_1/e1",
	}
	if diff := cmp.Diff(want, keysOf(assess(t, red, record).Findings)); diff != "" {
		t.Errorf("unexpected findings (-want +got):\n%s", diff)
	}
}
