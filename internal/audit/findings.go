// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// maxKeyID is the maximum number of characters of an ID in a key.
const maxKeyID = 200

// Finding is a result of a rule.
type Finding struct {
	// Level is one of the levels.
	Level string `tfsdk:"level"`
	Rule  string `tfsdk:"rule"`
	// ID is the ID of an agent, the email address of a member, or ""; and Name its name, or "".
	ID      string `tfsdk:"id"`
	Name    string `tfsdk:"name"`
	Message string `tfsdk:"message"`
	// Key accepts this finding, and others of the rule about the same object.
	Key string `tfsdk:"key"`
	// Reason is why the finding is accepted, or "".
	Reason string `tfsdk:"reason"`
}

// HasOwnKey reports whether the key has more than the rule and the ID, as that of a change.
func (f Finding) HasOwnKey() bool { return f.Key != f.Rule && f.Key != keyOf(f.Rule, f.ID) }

// findings returns what the built-in rules find, the causes before their consequences.
// The changes are those that the audit found.
func (a *Audit) findings(changes []Change) []Finding {
	list := &findingList{audit: a}
	list.addWorkspace()
	list.addAgents()
	list.addMembers()
	for _, p := range a.Problems {
		level := LevelWarning
		if IsGap(p.Kind) {
			level = LevelError
		}
		status := ""
		if p.Status != nil {
			status = strconv.Itoa(*p.Status)
		}
		texts := slices.DeleteFunc([]string{status, valueOf(p.Code), valueOf(p.Message)}, func(text string) bool { return text == "" })
		message := p.Operation + ": " + cmp.Or(strings.Join(texts, ", "), "no message")
		if id := valueOf(p.AgentID); id != "" {
			list.add(level, p.Kind, id, message)
		} else {
			list.addCase(level, p.Kind, p.Operation, message)
		}
	}
	list.addChanges(changes)
	list.addGraphFindings()
	return list.findings
}

// findingList collects findings.
type findingList struct {
	audit    *Audit
	findings []Finding
}

func (l *findingList) add(level, rule, id, message string) {
	key := rule
	if id != "" {
		key = keyOf(rule, id)
	}
	l.findings = append(l.findings, Finding{Level: level, Rule: rule, ID: id, Name: l.audit.name(id), Message: message, Key: key})
}

// addCase adds a finding without an ID. To accept it does not accept other cases in which
// the rule applies.
func (l *findingList) addCase(level, rule, name, message string) {
	l.findings = append(l.findings, Finding{Level: level, Rule: rule, Message: message, Key: keyOf(rule, name)})
}

// keyOf returns the key of a finding. A report shows the key as it is.
func keyOf(rule, id string) string { return printable(rule) + "/" + oneline.Distinct(id, maxKeyID) }

// printable returns a key without the characters that a report omits or adds.
func printable(key string) string { return oneline.Text(key, 2*maxKeyID) }

// name returns the name of the agent or member with an ID, or "".
func (a *Audit) name(id string) string {
	if agent, found := a.Agents[id]; found {
		return valueOf(agent.Name)
	}
	for _, m := range a.Members {
		if id != "" && m.Email() == id {
			return m.Name()
		}
	}
	return ""
}

func (l *findingList) addWorkspace() {
	w := l.audit.Workspace
	suspended, isPastDue := "The workspace is suspended.", w.IsPastDue
	if valueOf(w.IsSuspended) && valueOf(w.IsPastDue) { // One is the cause of the other.
		suspended, isPastDue = "The workspace is suspended, and a payment is past due.", new(false)
	}
	for _, state := range []struct {
		level, rule, text string
		value             *bool
	}{
		{LevelError, ruleQuarantined, "The workspace is quarantined.", w.IsQuarantined},
		{LevelError, ruleSuspended, suspended, w.IsSuspended},
		{LevelWarning, rulePastDue, "A payment of the workspace is past due.", isPastDue},
	} {
		switch {
		case state.value == nil:
			l.addCase(state.level, state.rule, Unknown, "This is unknown, because the service did not return it.")
		case *state.value:
			l.add(state.level, state.rule, "", state.text)
		}
	}
}

func (l *findingList) addChanges(changes []Change) {
	added := 0
	var removed []string
	for _, c := range changes {
		rule := ruleAccessChanged
		switch {
		case c.What != changedAgent && c.What != changedMember:
		case c.After == nil:
			removed = append(removed, c.fingerprint())
		case c.Before == nil:
			added++
		}
		switch {
		case c.What == changedRecord:
			message := "The record begins with this audit: " + valueOf(c.After) + ". Compare the numbers with the service's user interface."
			if c.Before != nil {
				message += " The state has " + *c.Before + "."
			}
			l.add(LevelWarning, ruleFirstRecord, "", message)
			continue
		case c.What == changedWorkspace:
			rule = ruleOtherWorkspace
		case !c.IsAccess:
			continue
		}
		id := cmp.Or(c.ID, c.Name) // These are distinct.
		l.findings = append(l.findings, Finding{
			Level: LevelError, Rule: rule, ID: id, Name: c.Name, Message: c.What + ": " + textOrNone(c.Before) + " → " + textOrNone(c.After),
			Key: keyOf(rule, id) + "/" + c.fingerprint(),
		})
	}
	recorded := len(l.audit.Agents) + len(l.audit.Members) - added + len(removed)
	if len(removed) > max(2, recorded/10) {
		slices.Sort(removed)
		all := Change{What: ruleRemoved, Before: new(strings.Join(removed, " "))}
		l.addCase(LevelError, ruleRemoved, all.fingerprint(), fmt.Sprintf(
			"%d of about %d recorded agents and members are gone, or the token has less access than before.", len(removed), recorded))
	}
}

func textOrNone(text *string) string { return cmp.Or(valueOf(text), "none") }

func (l *findingList) addAgents() {
	a := l.audit
	ids := slices.Sorted(maps.Keys(a.Agents))
	if len(ids) == 0 && a.AgentIDs == nil {
		l.add(LevelError, ruleNoAgents, "", "The service listed no agents.")
	}
	// If a definition was not read, the failed read is the finding.
	read := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return a.Agents[id].DefinitionHash == nil })
	isUnknown := func(id string) bool { return valueOf(a.Agents[id].WorkspaceRef) == "" }
	if len(read) > 0 && len(read) == len(slices.DeleteFunc(slices.Clone(read), func(id string) bool { return !isUnknown(id) })) {
		l.addCase(LevelError, ruleForeignAgents, Unknown, "The workspace of all agents is unknown.")
		return
	}
	for _, id := range ids {
		agent := a.Agents[id]
		switch {
		case isUnknown(id) && agent.DefinitionHash == nil:
		case isUnknown(id):
			l.add(LevelWarning, ruleForeignAgents, id, "The agent's workspace is unknown.")
		case !a.Workspace.is(*agent.WorkspaceRef):
			l.add(LevelError, ruleForeignAgents, id, fmt.Sprintf("The agent belongs to the workspace %s, but the audited workspace is %s.",
				*agent.WorkspaceRef, a.Workspace.title()))
		}
	}
}

func (l *findingList) addMembers() {
	a := l.audit
	if len(a.EmailsByRole["ADMIN"]) == 0 {
		l.add(LevelError, ruleNoAdmins, "", "No member has the ADMIN role.")
	}
	for _, m := range a.Members {
		if id := valueOf(m.WorkspaceID); id != "" && !a.Workspace.is(id) {
			l.add(LevelError, ruleForeignMembers, cmp.Or(m.Email(), m.Name()), fmt.Sprintf("The member belongs to the workspace %s, but the audited workspace is %s.",
				id, a.Workspace.title()))
		}
	}
}

// is reports whether an ID or slug is that of the workspace.
func (w *Workspace) is(id string) bool { return id == valueOf(w.ID) || id == valueOf(w.Slug) }

func (w *Workspace) title() string { return cmp.Or(valueOf(w.ID), valueOf(w.Slug), Unknown) }

func (l *findingList) addGraphFindings() {
	for _, id := range slices.Sorted(maps.Keys(l.audit.Agents)) {
		agent := l.audit.Agents[id]
		if agent.IsPublished != nil && !*agent.IsPublished {
			continue
		}
		for _, f := range agent.GraphFindings {
			l.add(LevelWarning, f.Kind, id, f.Message)
		}
	}
}
