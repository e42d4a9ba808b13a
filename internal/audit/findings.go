// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/flow"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

const (
	// maxMessage and maxUnneeded are the maximum numbers of characters of a message in a log, and of
	// the keys that match no finding.
	maxMessage, maxUnneeded = 3000, 500
	// maxErrors and maxWarnings are the maximum numbers of messages in a log, in which each plan
	// repeats the warnings.
	maxErrors, maxWarnings = 50, 3
	// maxErrorBytes is the maximum number of bytes of all errors, so that they fit into a comment on
	// GitHub together with the report.
	maxErrorBytes = 15_000
	// maxNames and maxKeys are the maximum numbers of objects that a message names, and of keys
	// of equal findings.
	maxNames, maxKeys = 5, 5
	// maxTitle is the maximum number of characters of the name of an object.
	maxTitle = 60
)

// Finding is a result of a rule.
type Finding struct {
	// Level is one of the levels.
	Level string `tfsdk:"level"`
	Rule  string `tfsdk:"rule"`
	// ID is the ID of an agent, the email address of a member, or ""; and Name its name, or "".
	ID      string `tfsdk:"id"`
	Name    string `tfsdk:"name"`
	Message string `tfsdk:"message"`
	// Key accepts this finding. No other finding of the audit has the same key.
	Key string `tfsdk:"key"`
	// Reason is why the finding is accepted, or "".
	Reason string `tfsdk:"reason"`
	// IsChange reports that the finding is about a change, which is none in the next audit
	// once it is recorded.
	IsChange bool `tfsdk:"-"`
}

// IsOnce reports whether the key accepts only this finding in this audit. Other keys accept a
// finding as long as they are in accepted.
func (f Finding) IsOnce() bool { return f.IsChange && slices.Contains(onceRules, f.Rule) }

// keys are the keys that accept the finding, the most specific last: the rule, the rule about this
// object, and the key.
func (f Finding) keys() []string {
	if f.ID == "" || f.IsOnce() {
		return []string{f.Rule, f.Key}
	}
	return []string{f.Rule, keyOf(f.Rule, f.ID), f.Key}
}

// addBuiltIn adds the findings of the built-in rules about the audit itself, the causes
// before their consequences.
func (a *Assessment) addBuiltIn() {
	a.addWorkspace()
	a.addAgents()
	a.addMembers()
	a.addProblems()
	if !a.ReadsDefinitions() {
		a.add(LevelWarning, ruleDefinitions, "", "The audit does not read definitions, because its argument "+
			"definitions is false. It does not see the workspaces, sharing, collaborators, security settings, "+
			"credentials, hosts, and flows of agents.")
	}
}

// add adds a finding. Without an ID, only what a caller adds to its key tells it from others of
// the rule.
func (a *Assessment) add(level, rule, id, message string) *Finding {
	key := keyPart(rule)
	if id != "" {
		key = keyOf(rule, id)
	}
	finding := Finding{Level: level, Rule: rule, ID: id, Name: a.name(id), Message: message, Key: key}
	a.Findings = append(a.Findings, finding)
	return &a.Findings[len(a.Findings)-1]
}

func keyOf(rule, id string) string { return keyPart(rule) + "/" + keyPart(id) }

// keyPart returns a text without what could end a line or code, or have a meaning in a log.
func keyPart(text string) string {
	return strings.ReplaceAll(url.PathEscape(text), ":", "%3A")
}

// name returns the name of the agent or member with an ID, or "".
func (a *Audit) name(id string) string {
	if agent, found := a.Agents[id]; found {
		return api.ValueOf(agent.Name)
	}
	for _, m := range a.Members {
		if id != "" && m.Email() == id {
			return m.Name()
		}
	}
	return ""
}

func (a *Assessment) addWorkspace() {
	w := a.Workspace
	a.addState(LevelError, ruleQuarantined, w.IsQuarantined, "The workspace is quarantined.")
	a.addState(LevelError, ruleSuspended, w.IsSuspended, "The workspace is suspended.")
	a.addState(LevelWarning, rulePastDue, w.IsPastDue, "A payment of the workspace is past due.")
}

func (a *Assessment) addState(level, rule string, state *bool, message string) {
	switch {
	case state == nil:
		a.add(level, rule, "", "This is unknown, because the service did not return it.").Key += "/" + Unknown
	case *state:
		a.add(level, rule, "", message)
	}
}

func (a *Assessment) addProblems() {
	for _, p := range a.Problems {
		if p.Kind == EqualStatistics { // Counters change by themselves, and a report must not.
			continue
		}
		level := LevelWarning
		if IsGap(p.Kind) {
			level = LevelError
		}
		operation := strings.NewReplacer(" (", "_", " ", "_", ")", "").Replace(p.Operation)
		a.add(level, p.Kind, api.ValueOf(p.AgentID), p.Text()).Key += "/" + keyPart(operation)
	}
}

// addChanges adds findings about new changes: one for all changes of access of an object.
func (a *Assessment) addChanges() {
	changes := slices.DeleteFunc(slices.Clone(a.Changes), func(c Change) bool { return !a.IsNew(c) })
	slices.SortStableFunc(changes, func(x, y Change) int { return cmp.Compare(a.Rank(x.ID), a.Rank(y.ID)) })
	var keys []string
	byKey := map[string][]Change{}
	for _, c := range changes {
		if rule := c.Warning(); rule != "" {
			f := a.add(LevelWarning, rule, c.ID, c.message())
			f.Name, f.IsChange = c.Name, true
		}
		if c.Key == nil {
			continue
		}
		if byKey[*c.Key] == nil {
			keys = append(keys, *c.Key)
		}
		byKey[*c.Key] = append(byKey[*c.Key], c)
	}
	for _, key := range keys {
		a.Findings = append(a.Findings, newAccessFinding(key, byKey[key]))
	}
}

// newAccessFinding is the finding about the changes of an object, which have the same key.
func newAccessFinding(key string, changes []Change) Finding {
	first := changes[0]
	rule, _, _ := strings.Cut(key, "/")
	f := Finding{Level: LevelError, Rule: rule, Key: key, IsChange: true}
	switch rule {
	case ruleFirstRecord:
		f.Message = "The record begins with this audit: " + api.ValueOf(first.After) + ". Nobody has confirmed it yet. " +
			"Compare the members and agents with the service's user interface. "
		if first.Before == nil {
			f.Message += "If an earlier audit was recorded, the state is lost, so find out what has changed since then."
		} else {
			f.Message += "The earlier record cannot be compared, because another version of the provider wrote it."
		}
		return f
	case ruleRemoved:
		f.Message = api.ValueOf(first.After) + orLessAccess
		return f
	}
	limit := maxMessage/2/len(changes) - 50 // So that a long change hides no other one.
	var messages []string
	for _, c := range changes {
		if len(changes) > 1 {
			c.Before, c.After = shortened(c.Before, limit), shortened(c.After, limit)
		}
		messages = append(messages, c.message())
	}
	f.ID, f.Name = cmp.Or(first.ID, first.Name), first.Name
	f.Message = strings.Join(messages, "; ")
	return f
}

const orLessAccess = ", or the token has less access than before."

// addUnseen adds findings about what is recorded, but was not seen in this audit.
func (a *Assessment) addUnseen(current *record) {
	listed := membersByKey(newMembers(a.Audit, &record{}))
	for _, m := range current.Members {
		if _, isListed := listed[m.key()]; !isListed {
			a.NotListed = append(a.NotListed, cmp.Or(m.Email, m.Name))
		}
	}
	notSelected := 0
	var names, unknown []string
	for _, id := range slices.Sorted(maps.Keys(current.Agents)) {
		agent, recorded := a.Agents[id], current.Agents[id]
		switch {
		case agent == nil && a.AgentIDs == nil:
			a.NotListed = append(a.NotListed, id)
		case agent == nil:
			notSelected++
		case agent.DefinitionHash != nil:
			if states := agent.notReturned(recorded); len(states) > 0 {
				names = append(names, title(api.ValueOf(agent.Name), id))
				unknown = append(unknown, id+" "+strings.Join(states, ","))
			}
		}
	}
	if isMuch(len(a.NotListed), current.size()) {
		a.add(LevelError, ruleRemoved, "", fmt.Sprintf("%d of %d recorded agents and members are not listed",
			len(a.NotListed), current.size())+orLessAccess).Key += "/" + fingerprint(a.NotListed)
	}
	if len(unknown) > 0 {
		a.add(LevelError, ruleStateUnknown, "", fmt.Sprintf(
			"The state or sharing of %d agents is unknown now, because the service no longer returns it: %s. "+
				"The record keeps the earlier values.", len(unknown), strings.Join(oneline.First(names, maxNames), ", "),
		)).Key += "/" + fingerprint(unknown)
	}
	if notSelected > 0 {
		a.add(LevelWarning, ruleAgentsNotCompared, "", fmt.Sprintf(
			"Recorded agents that agent_ids does not contain, and that were not compared: %d.", notSelected))
	}
}

// Rank is 1 for an agent that only people with access to the workspace can reach, and 0 for others: what concerns them comes first.
func (a *Audit) Rank(id string) int {
	if agent := a.Agents[id]; agent != nil && agent.isDraft() && !api.ValueOf(agent.IsShared) {
		return 1
	}
	return 0
}

func (a *Assessment) addAgents() {
	if len(a.Agents) == 0 {
		message := "The service listed no agents."
		if a.AgentIDs != nil {
			message = "The argument agent_ids is empty, so no agent was audited."
		}
		a.add(LevelError, ruleNoAgents, "", message)
	}
	var unknown []string
	isKnown := false
	audited := cmp.Or(api.ValueOf(a.Workspace.ID), api.ValueOf(a.Workspace.Slug), Unknown)
	for _, id := range a.SortedIDs() {
		agent := a.Agents[id]
		ref := api.ValueOf(agent.WorkspaceRef)
		switch {
		case agent.DefinitionHash == nil: // The failed read is the finding.
		case ref == "":
			unknown = append(unknown, id)
		case a.Workspace.HasID(ref):
			isKnown = true
		default:
			isKnown = true
			a.add(LevelError, ruleForeignAgents, id, fmt.Sprintf(
				"The agent belongs to the workspace %s, but the audited workspace is %s.", ref, audited))
		}
	}
	if len(unknown) > 0 && !isKnown {
		a.add(LevelError, ruleForeignAgents, "", "The workspace of all agents is unknown.").Key += "/" + Unknown
		return
	}
	for _, id := range unknown {
		a.add(LevelWarning, ruleForeignAgents, id, "The agent's workspace is unknown.")
	}
}

func (a *Assessment) addMembers() {
	if len(a.EmailsByRole["ADMIN"]) == 0 {
		a.add(LevelError, ruleNoAdmins, "", "No member has the ADMIN role.")
	}
}

// addGraphFindings adds the findings of graphs, the worst kinds first.
func (a *Assessment) addGraphFindings() {
	first := len(a.Findings)
	for _, id := range a.SortedIDs() {
		agent := a.Agents[id]
		if agent.isDraft() {
			continue
		}
		for _, f := range agent.GraphFindings {
			finding := a.add(LevelWarning, f.Kind, id, f.Message)
			if f.ID != "" {
				finding.Key += "/" + keyPart(f.ID)
			}
		}
	}
	slices.SortStableFunc(a.Findings[first:], func(x, y Finding) int {
		return cmp.Compare(slices.Index(flow.Kinds, x.Rule), slices.Index(flow.Kinds, y.Rule))
	})
}

// OwnFinding is a finding of a user's own rule. It comes from expressions, so any value
// can be nil.
type OwnFinding struct {
	Level   *string `tfsdk:"level"`
	Rule    *string `tfsdk:"rule"`
	ID      *string `tfsdk:"id"`
	Message *string `tfsdk:"message"`
}

// addOwn adds the user's finding with the given position, or an error about it if it is
// not complete.
func (a *Assessment) addOwn(own *OwnFinding, position int) {
	f := api.ValueOf(own)
	level, rule, message := api.ValueOf(f.Level), api.ValueOf(f.Rule), api.ValueOf(f.Message)
	isLevel := level == LevelError || level == LevelWarning
	if !isLevel || rule == "" || message == "" || isBuiltIn(rule) {
		message = fmt.Sprintf("The finding with index %d in policies needs a rule that is not built in, a message, and the level error or warning. "+
			"It has the rule %q, the message %q, and the level %q.", position, rule, message, level)
		level, rule = LevelError, rulePolicies
	}
	finding := a.add(level, rule, api.ValueOf(f.ID), message)
	if finding.ID == "" { // The rule alone would accept all of its findings.
		finding.Key += "/" + fingerprint(rule, message)
	}
}

// distinguish makes equal findings one, and gives each other one a key of its own.
func (a *Assessment) distinguish() {
	findings := []Finding{}
	isKnown := map[Finding]bool{}
	count := map[string]int{}
	for _, f := range a.Findings {
		if !isKnown[f] {
			isKnown[f] = true
			count[f.Key]++
			findings = append(findings, f)
		}
	}
	for i, f := range findings {
		if count[f.Key] > 1 {
			findings[i].Key += "/" + fingerprint(f.Level, f.Message)
		}
	}
	a.Findings = findings
}
