// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// Levels of findings.
const (
	LevelError   = "error"
	LevelWarning = "warning"
	// LevelAccepted is the level of an error or a warning that a user accepted.
	LevelAccepted = "accepted"
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
	// IsOnce reports that the key accepts only this finding in this audit, because the finding
	// is about a change, which is none in the next audit once it is recorded. Other keys accept a
	// finding as long as they are in accepted.
	IsOnce bool `tfsdk:"-"`
}

// addBuiltIn adds the findings of the built-in rules about the audit itself, the causes
// before their consequences.
func (a *Assessment) addBuiltIn() {
	w := a.Workspace
	a.addState(ruleQuarantined, w.IsQuarantined, "the workspace is quarantined")
	a.addState(ruleSuspended, w.IsSuspended, "the workspace is suspended")
	a.addState(rulePastDue, w.IsPastDue, "a payment of the workspace is past due")
	a.addAgents()
	if len(a.EmailsByRole["ADMIN"]) == 0 {
		a.add(ruleNoAdmins, "", "No member has the ADMIN role.")
	}
	a.addProblems()
	if !a.ReadsDefinitions() {
		a.add(ruleDefinitions, "", "The audit does not read definitions, because its argument "+
			"definitions is false. It does not see the workspaces, sharing, collaborators, security settings, "+
			"credentials, hosts, and flows of agents.")
	}
}

// add adds a finding with the level of its rule, if that is built in. Its key has the ID, unless that
// is "", and what tells it from others of the rule and the ID.
func (a *Assessment) add(rule, id, message string, others ...string) *Finding {
	a.Findings = append(a.Findings, Finding{
		Level:   levelOf(rule),
		Rule:    rule,
		ID:      id,
		Name:    a.name(id),
		Message: message,
		Key:     keyOf(append([]string{rule, id}, others...)...),
	})
	return &a.Findings[len(a.Findings)-1]
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

// addState adds a finding about a state of the workspace that is true or unknown.
func (a *Assessment) addState(rule string, state *bool, clause string) {
	switch {
	case state == nil:
		a.add(rule, "", "The service did not return whether "+clause+".", Unknown)
	case *state:
		a.add(rule, "", strings.ToUpper(clause[:1])+clause[1:]+".")
	}
}

func (a *Assessment) addProblems() {
	for _, p := range a.Problems {
		if p.Kind == EqualStatistics { // Counters change by themselves, and a report must not.
			continue
		}
		a.add(p.Kind, api.ValueOf(p.AgentID), p.Text(), words.Replace(p.Operation))
	}
}

// words writes the name of an operation as one word.
var words = strings.NewReplacer(" (", "_", " ", "_", ")", "")

// addChanges adds findings about new changes: one for all changes of access of an object.
func (a *Assessment) addChanges() {
	var keys []string
	changes := map[string][]Change{}
	for _, c := range a.Changes {
		if key := api.ValueOf(c.Key); key != "" && a.isNew(c) {
			keys = append(keys, key)
			changes[key] = append(changes[key], c)
		}
	}
	keys = slices.Compact(keys) // The changes of an object stand together.
	slices.SortStableFunc(keys, func(x, y string) int {
		return cmp.Compare(a.Rank(changes[x][0].ID), a.Rank(changes[y][0].ID))
	})
	for _, key := range keys {
		a.Findings = append(a.Findings, newAccessFinding(key, changes[key]))
	}
}

// addNoLongerPublished adds findings about published agents that were unpublished or deleted, and
// are not published again. Nobody has to accept that, but the people who use the agents notice
// it. All known changes count, so that the next report says the same.
func (a *Assessment) addNoLongerPublished() {
	names := map[string]string{}
	for _, c := range a.Changes {
		switch {
		case c.What != changedAgent && c.What != changedState:
		case published.MatchString(api.ValueOf(c.After)):
			delete(names, c.ID)
		case published.MatchString(api.ValueOf(c.Before)):
			names[c.ID] = c.Name
		}
	}
	for _, id := range slices.Sorted(maps.Keys(names)) {
		a.add(ruleNoLongerPublished, id, "The agent was published, and was then unpublished or deleted.").Name = names[id]
	}
}

// newAccessFinding is the finding about the changes of an object, which have the same key.
func newAccessFinding(key string, changes []Change) Finding {
	first := changes[0]
	f := Finding{Level: LevelError, Rule: ruleOf(key), Key: key, IsOnce: true}
	switch f.Rule {
	case ruleFirstRecord:
		f.Message = "The record begins with this audit: " + api.ValueOf(first.After) + ". Nobody has confirmed it yet. " +
			"Compare the members and agents with what an administrator sees in the service. "
		if first.Before == nil {
			f.Message += "If an earlier audit was recorded, the state is lost, or the address of the resource has changed. Find out what has changed since then."
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
func (a *Assessment) addUnseen(c *comparison) {
	current, listed := c.current, listedMembers(a.Audit)
	for _, key := range slices.Sorted(maps.Keys(current.Members)) {
		if _, isListed := listed[key]; !isListed {
			a.NotListed = append(a.NotListed, current.Members[key].id())
		}
	}
	notSelected := 0
	for _, id := range slices.Sorted(maps.Keys(current.Agents)) {
		switch {
		case a.Agents[id] != nil:
		case a.AgentIDs == nil:
			a.NotListed = append(a.NotListed, id)
		default:
			notSelected++
		}
	}
	if text := manyMissing(a.NotListed, current, "not listed"); text != "" {
		a.add(ruleRemoved, "", text+orLessAccess, fingerprint(a.NotListed))
	}
	if len(c.unknown) > 0 {
		var names []string
		for _, id := range slices.Sorted(maps.Keys(c.unknown)) {
			names = append(names, title(a.name(id), id))
		}
		a.add(ruleStateUnknown, "", fmt.Sprintf("The service no longer returns the state or sharing of %s: %s. "+
			"The record keeps the earlier values.", oneline.Count(len(names), "agent"), oneline.List(names, maxNames)), fingerprint(c.unknown))
	}
	if notSelected > 0 {
		a.add(ruleAgentsNotCompared, "", fmt.Sprintf(
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
		a.add(ruleNoAgents, "", message)
	}
	var unknown []string
	isKnown := false
	audited := cmp.Or(api.ValueOf(a.Workspace.ID), api.ValueOf(a.Workspace.Slug), Unknown)
	for _, id := range a.SortedIDs() {
		agent := a.Agents[id]
		ref := api.ValueOf(agent.WorkspaceRef)
		isKnown = isKnown || ref != ""
		switch {
		case agent.DefinitionHash == nil: // The failed read is the finding.
		case ref == "":
			unknown = append(unknown, id)
		case !a.Workspace.HasID(ref):
			a.add(ruleForeignAgents, id, fmt.Sprintf(
				"The agent belongs to the workspace %s, but the audited workspace is %s.", ref, audited))
		}
	}
	if len(unknown) > 0 && !isKnown {
		a.add(ruleForeignAgents, "", "The workspace of all agents is unknown.", Unknown)
		return
	}
	for _, id := range unknown {
		a.add(ruleForeignAgents, id, "The agent's workspace is unknown.").Level = LevelWarning
	}
}

func (a *Assessment) addGraphFindings() {
	for _, id := range a.SortedIDs() {
		agent := a.Agents[id]
		for _, f := range agent.GraphFindings {
			if !agent.isDraft() {
				a.add(f.Kind, id, f.Message, f.ID)
			}
		}
	}
}

// OwnFinding is a finding of a user's own rule. It comes from expressions, so any value
// can be nil.
type OwnFinding struct {
	Level   *string `tfsdk:"level"`
	Rule    *string `tfsdk:"rule"`
	ID      *string `tfsdk:"id"`
	Message *string `tfsdk:"message"`
}

// addOwn adds the user's finding with the given position, or a finding about it if values of it
// are null. It returns an error for a wrong level, which only who reads errors would notice.
func (a *Assessment) addOwn(own *OwnFinding, position int) error {
	f := api.ValueOf(own)
	level, rule, id, message := api.ValueOf(f.Level), api.ValueOf(f.Rule), api.ValueOf(f.ID), api.ValueOf(f.Message)
	if f.Level != nil && level != LevelError && level != LevelWarning {
		return fmt.Errorf("the finding with index %d, of the rule %q, has the level %q, which must be error or warning", position, rule, level)
	}
	if level == "" || rule == "" || message == "" || levelOf(rule) != "" {
		message = fmt.Sprintf("The finding with index %d in policies needs a rule that is not built in, a message, and the level error or warning. "+
			"It has the rule %q, the message %q, and the level %q.", position, rule, message, level)
		level, rule = LevelError, rulePolicies
	}
	other := ""
	switch {
	case f.ID == nil: // The rule alone would accept all of its findings.
		other = fingerprint(rule, message)
	case id == "": // It is from a list of addresses.
		id = NoAddress
	}
	a.add(rule, id, message, other).Level = level
	return nil
}
