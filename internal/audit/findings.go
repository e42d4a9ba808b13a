// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/convo/terraform-provider-convo/internal/flow"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

const (
	// maxKeyID is the maximum number of characters of an ID in a key.
	maxKeyID = 200
	// maxMessage is the maximum number of characters of a message in a log.
	maxMessage = 4000
	// maxShown is the maximum number of messages of a level, of objects that a message names,
	// and of keys of equal findings.
	maxShown, maxNames, maxKeys = 50, 5, 5
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
	// Key accepts this finding. One without a fingerprint accepts others of the rule about
	// the same object, too.
	Key string `tfsdk:"key"`
	// Reason is why the finding is accepted, or "".
	Reason string `tfsdk:"reason"`
	// IsRecorded reports that the finding is about a change, which is none in the next audit
	// once it is recorded.
	IsRecorded bool `tfsdk:"-"`
}

// addBuiltIn adds the findings of the built-in rules about the audit itself, the causes
// before their consequences.
func (a *Assessment) addBuiltIn() {
	a.addWorkspace()
	a.addAgents()
	a.addMembers()
	for _, p := range a.Problems {
		level := LevelWarning
		if IsGap(p.Kind) {
			level = LevelError
		}
		operation := strings.NewReplacer(" (", "_", " ", "_", ")", "").Replace(p.Operation)
		if id := valueOf(p.AgentID); id != "" {
			a.add(level, p.Kind, id, p.Text())
			a.Findings[len(a.Findings)-1].Key += "/" + operation
		} else {
			a.addCase(level, p.Kind, operation, p.Text())
		}
	}
	if !a.readsDefinitions() {
		a.add(LevelWarning, "definitions_not_read", "", "The audit does not read definitions, because its argument definitions is false. It does not see the workspaces, "+
			"sharing, collaborators, security settings, credentials, hosts, and flows of agents.")
	}
}

func (a *Assessment) add(level, rule, id, message string) {
	key := keyPart(rule)
	if id != "" {
		key = keyOf(rule, id)
	}
	if id == Unknown { // A case has this name.
		key += "~"
	}
	a.Findings = append(a.Findings, Finding{Level: level, Rule: rule, ID: id, Name: a.name(id), Message: message, Key: key})
}

// addCase adds a finding without an ID. To accept it does not accept other cases in which
// the rule applies.
func (a *Assessment) addCase(level, rule, name, message string) {
	a.Findings = append(a.Findings, Finding{Level: level, Rule: rule, Message: message, Key: keyOf(rule, name)})
}

func keyOf(rule, id string) string { return keyPart(rule) + "/" + keyPart(id) }

// keyPart returns a text without what could end a line or code, or have a meaning in a log.
// A text that this changes gets a hash, so that different texts stay different.
func keyPart(text string) string {
	part := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune("-_.@+/=", r) {
			return r
		}
		return '_'
	}, text)
	if characters := []rune(part); len(characters) > maxKeyID {
		part = string(characters[:maxKeyID])
	}
	if part != text {
		part += "~" + oneline.Hash(text)
	}
	return part
}

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

func (a *Assessment) addWorkspace() {
	w := a.Workspace
	suspended, isPastDue := "The workspace is suspended.", w.IsPastDue
	if valueOf(w.IsSuspended) && valueOf(w.IsPastDue) { // One is the cause of the other.
		suspended, isPastDue = "The workspace is suspended, and a payment is past due.", new(false)
	}
	for _, state := range []struct {
		level, rule, text string
		value             *bool
	}{
		{LevelError, "workspace_quarantined", "The workspace is quarantined.", w.IsQuarantined},
		{LevelError, "workspace_suspended", suspended, w.IsSuspended},
		{LevelWarning, "workspace_past_due", "A payment of the workspace is past due.", isPastDue},
	} {
		switch {
		case state.value == nil:
			a.addCase(state.level, state.rule, Unknown, "This is unknown, because the service did not return it.")
		case *state.value:
			a.add(state.level, state.rule, "", state.text)
		}
	}
}

// addChanges adds findings about changes: one for all changes of access of an object.
// recorded is the number of agents and members in the record, and since the time of the
// change before these.
func (a *Assessment) addChanges(changes []Change, since string, recorded int) {
	var removed, access []string // IDs, and keys in their order
	byKey := map[string][]Change{}
	for _, c := range changes {
		if c.Key != nil {
			if byKey[*c.Key] == nil {
				access = append(access, *c.Key)
			}
			byKey[*c.Key] = append(byKey[*c.Key], c)
		}
		switch isObject := c.What == changedAgent || c.What == changedMember; {
		case isObject && c.After == nil:
			removed = append(removed, cmp.Or(c.ID, c.Name))
		case isObject && c.Before == nil:
			recorded--
		}
		if c.closes() {
			a.add(LevelWarning, "no_longer_published", c.ID, c.message())
			f := &a.Findings[len(a.Findings)-1]
			f.Name, f.IsRecorded = c.Name, true
		}
	}
	slices.SortStableFunc(access, func(x, y string) int { return cmp.Compare(a.Rank(byKey[x][0].ID), a.Rank(byKey[y][0].ID)) })
	for _, key := range access {
		of := byKey[key]
		rule, _, _ := strings.Cut(key, "/")
		messages, limit := []string{}, maxMessage/2/len(of)-50 // So that a long change hides no other one.
		for _, c := range of {
			for _, value := range []**string{&c.Before, &c.After} {
				if *value != nil && len(of) > 1 {
					*value = new(oneline.Distinct(**value, limit))
				}
			}
			messages = append(messages, c.message())
		}
		f := Finding{Level: LevelError, Rule: rule, ID: cmp.Or(of[0].ID, of[0].Name), Name: of[0].Name, Message: strings.Join(messages, "; "), Key: key, IsRecorded: true}
		if rule == ruleFirstRecord {
			f.ID, f.Name, f.Message = "", "", "The record begins with this audit: "+valueOf(of[0].After)+". Nobody has confirmed it yet. Compare the access in the report with the "+
				"service's user interface. If an earlier audit was recorded, the state is lost, so find out what has changed since then."
		}
		a.Findings = append(a.Findings, f)
	}
	// What stays recorded because a list may be incomplete is not seen, either.
	gone := slices.Concat(removed, a.NotListed)
	if recorded += len(removed); len(gone) > max(2, recorded/10) {
		slices.Sort(gone)
		if len(removed) == 0 { // An incomplete list can be accepted for ever.
			since = ""
		}
		a.addCase(LevelError, ruleRemoved, fingerprint(gone, since), fmt.Sprintf(
			"%d of %d recorded agents and members are gone or not listed, or the token has less access than before.", len(gone), recorded))
		a.Findings[len(a.Findings)-1].IsRecorded = len(a.NotListed) == 0
	}
}

// message describes the change. A sign says what is gone or new.
func (c Change) message() string {
	if c.Before == nil || c.After == nil {
		return c.What + ": " + cmp.Or(valueOf(c.Before), "none") + " → " + cmp.Or(valueOf(c.After), "none")
	}
	before, after := *c.Before, *c.After
	label, _, hasLabel := strings.Cut(before, ": ")
	switch {
	case before == "" || after == "":
		return c.What + ": " + before + after
	case strings.HasPrefix(before, gone) && strings.HasPrefix(after, added):
		return c.What + ": " + before + ", " + after
	case hasLabel && !strings.Contains(before+after, ", "): // The path of a single setting need not stand twice.
		after = strings.TrimPrefix(after, label+": ")
	}
	return c.What + ": " + before + " → " + after
}

// closes reports whether a published agent is gone or no longer published.
func (c Change) closes() bool {
	before, _, _ := strings.Cut(valueOf(c.Before), ", ")
	after, _, _ := strings.Cut(valueOf(c.After), ", ")
	return before == "published" && (c.What == changedAgent && c.After == nil || c.What == changedState && after != "published")
}

// Rank is 1 for a closed agent, and 0 for others: what concerns them comes first.
func (a *Audit) Rank(id string) int {
	if agent := a.Agents[id]; agent != nil && agent.IsPublished != nil && !agent.IsOpen() {
		return 1
	}
	return 0
}

func (a *Assessment) addAgents() {
	ids := slices.Sorted(maps.Keys(a.Agents))
	switch {
	case len(ids) > 0:
	case a.AgentIDs == nil:
		a.add(LevelError, ruleNoAgents, "", "The service listed no agents.")
	default:
		a.add(LevelError, ruleNoAgents, "", "The argument agent_ids is empty, so no agent was audited.")
	}
	// If a definition was not read, the failed read is the finding.
	read := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return a.Agents[id].DefinitionHash == nil })
	isUnknown := func(id string) bool { return valueOf(a.Agents[id].WorkspaceRef) == "" }
	if len(read) > 0 && len(read) == len(slices.DeleteFunc(slices.Clone(read), func(id string) bool { return !isUnknown(id) })) {
		a.addCase(LevelError, ruleForeignAgents, Unknown, "The workspace of all agents is unknown.")
		return
	}
	for _, id := range ids {
		agent := a.Agents[id]
		switch {
		case isUnknown(id) && agent.DefinitionHash == nil:
		case isUnknown(id):
			a.add(LevelWarning, ruleForeignAgents, id, "The agent's workspace is unknown.")
		case !a.Workspace.is(*agent.WorkspaceRef):
			a.add(LevelError, ruleForeignAgents, id, fmt.Sprintf("The agent belongs to the workspace %s, but the audited workspace is %s.",
				*agent.WorkspaceRef, a.Workspace.title()))
		}
	}
}

func (a *Assessment) addMembers() {
	if len(a.EmailsByRole["ADMIN"]) == 0 {
		a.add(LevelError, "no_admins", "", "No member has the ADMIN role.")
	}
	for _, m := range a.Members {
		if id := valueOf(m.WorkspaceID); id != "" && !a.Workspace.is(id) {
			a.add(LevelError, "foreign_members", cmp.Or(m.Email(), m.Name()), fmt.Sprintf("The member belongs to the workspace %s, but the audited workspace is %s.",
				id, a.Workspace.title()))
		}
	}
}

// is reports whether an ID or slug is that of the workspace.
func (w *Workspace) is(id string) bool { return id == valueOf(w.ID) || id == valueOf(w.Slug) }

func (w *Workspace) title() string { return cmp.Or(valueOf(w.ID), valueOf(w.Slug), Unknown) }

// addGraphFindings adds the findings of graphs, the worst kinds first.
func (a *Assessment) addGraphFindings() {
	first := len(a.Findings)
	for _, id := range slices.Sorted(maps.Keys(a.Agents)) {
		agent := a.Agents[id]
		if agent.IsPublished != nil && !*agent.IsPublished {
			continue
		}
		for _, f := range agent.GraphFindings {
			a.add(LevelWarning, f.Kind, id, f.Message)
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
func (a *Assessment) addOwn(f *OwnFinding, position int) {
	level, rule, message := LevelError, "findings", ""
	switch {
	case f == nil || valueOf(f.Rule) == "":
		f, message = &OwnFinding{}, fmt.Sprintf("The finding with index %d has no rule.", position)
	case f.Level == nil || *f.Level != LevelError && *f.Level != LevelWarning:
		rule, message = *f.Rule, `The level of a finding of this rule is neither "error" nor "warning".`
	case f.Message == nil:
		level, rule, message = *f.Level, *f.Rule, "The message of a finding of this rule is null."
	default:
		level, rule, message = *f.Level, *f.Rule, *f.Message
	}
	if id := valueOf(f.ID); id != "" {
		a.add(level, rule, id, message)
	} else { // The rule alone would accept all of its findings.
		a.addCase(level, rule, fingerprint(rule, message), message)
	}
}

// Row is a group of findings that are equal except for what they concern.
type Row struct {
	Finding            // the first of them
	Keys      []string // of each
	Concerned []string // names with IDs
}

// Rows merges equal findings. Those about changes stay apart, because each key is needed.
func (a *Assessment) Rows() []*Row {
	type group struct{ level, rule, message, reason, key string }
	var rows []*Row
	known := map[group]*Row{}
	for _, f := range a.Findings {
		g := group{f.Level, f.Rule, f.Message, f.Reason, ""}
		if f.IsRecorded || f.ID == "" {
			g.key = f.Key
		}
		row := known[g]
		if row == nil {
			row = &Row{Finding: f}
			known[g] = row
			rows = append(rows, row)
		}
		if len(row.Keys) > 0 && row.Keys[len(row.Keys)-1] == f.Key { // The agents are sorted.
			continue
		}
		row.Keys = append(row.Keys, f.Key)
		if f.ID != "" {
			row.Concerned = append(row.Concerned, title(f.Name, f.ID))
		}
	}
	return rows
}

// title is a name with its ID. A long name must not hide the others in a list.
func title(name, id string) string {
	name = oneline.Text(name, maxTitle)
	if name == "" || name == id {
		return id
	}
	return name + " (" + id + ")"
}

// ShownKeys are the keys of a row that are shown. Without a record, no key can be used.
func (a *Assessment) ShownKeys(row *Row) []string {
	if !a.HasRecord {
		return []string{keyPart(row.Rule)}
	}
	return oneline.First(row.Keys, maxKeys)
}

// Lines returns the findings of a level for a log. Each key has a line of its own, before
// an indented line with what was found, which no name can break.
func (a *Assessment) Lines(level string) []string {
	texts := []string{}
	for _, row := range a.Rows() {
		if row.Level != level {
			continue
		}
		line := row.Message
		if len(row.Concerned) > 0 {
			line = strings.Join(oneline.First(row.Concerned, maxNames), ", ") + ": " + line
		}
		texts = append(texts, strings.Join(a.ShownKeys(row), "\n")+"\n  "+oneline.Log(line, maxMessage))
	}
	return oneline.First(texts, maxShown)
}
