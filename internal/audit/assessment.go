// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"maps"
	"slices"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/flow"
)

// History is what the resource convo_audit_record keeps of earlier audits. In a plan, it has the
// planned values.
type History struct {
	Record   *string           `tfsdk:"record"`   // nil or "" if there is none
	Changes  []Change          `tfsdk:"changes"`  // the newest last
	Accepted map[string]string `tfsdk:"accepted"` // reasons, by keys of findings
}

// Assessment is an audit with everything that its report says.
type Assessment struct {
	*Audit
	// History has the record of this audit, if there is one, and all changes that are known.
	History
	// HasRecord reports whether there is a record.
	HasRecord bool
	// Findings are the errors, then the warnings, and then what is accepted, each by weight.
	Findings []Finding
	// Unneeded are the keys in Accepted that match neither a finding nor a recorded change.
	Unneeded []string
	// NotListed are the IDs of agents, and the email addresses or names of members, that
	// stay recorded although they were not listed, because the list may be incomplete.
	NotListed []string
}

// Assess applies the built-in rules to an audit, and adds the findings of the user's own
// rules. The history is nil if there is none. It returns ErrRecord for an invalid
// record, or an error about the level of a user's finding.
func Assess(a *Audit, history *History, own []*OwnFinding) (*Assessment, error) {
	history = cmp.Or(history, &History{})
	return assess(a, history, api.ValueOf(history.Record) != "", own)
}

// AssessForRecord is Assess for an audit that is to be recorded, with which a record begins if there is none.
func AssessForRecord(a *Audit, history *History) (*Assessment, error) {
	return assess(a, history, true, nil)
}

func assess(a *Audit, history *History, hasRecord bool, own []*OwnFinding) (*Assessment, error) {
	result := &Assessment{
		Audit:     a,
		History:   *history,
		HasRecord: hasRecord,
		Findings:  []Finding{},
	}
	result.addBuiltIn()
	if hasRecord {
		// A plan that only refreshes does not plan the record, so it can be an earlier one.
		earlier, err := parseRecord(api.ValueOf(history.Record))
		if err != nil {
			return nil, err
		}
		c := compare(a, earlier)
		result.Record = &c.current.text
		result.Changes = slices.Concat(history.Changes, c.changes)
		result.addChanges()
		result.addNoLongerPublished()
		result.addUnseen(c)
	}
	for i, f := range own {
		if err := result.addOwn(f, i); err != nil {
			return nil, err
		}
	}
	result.addGraphFindings()
	result.distinguish()
	result.accept()
	return result, nil
}

// isNew reports whether this audit found a change.
func (a *Assessment) isNew(c Change) bool { return c.At == api.ValueOf(a.ReadAt) }

// IsRed reports whether there are errors.
func (a *Assessment) IsRed() bool { return len(a.Findings) > 0 && a.Findings[0].Level == LevelError }

// accept sets the level and the reason of the findings that are accepted, and sorts all findings
// by level, and those of graphs by kind.
func (a *Assessment) accept() {
	unneeded, reasons := maps.Clone(a.Accepted), map[string]string{}
	for i := range a.Findings {
		f := &a.Findings[i]
		f.accept(a.Accepted, unneeded)
		reasons[f.Key] = f.Reason
	}
	order := []string{LevelError, LevelWarning, LevelAccepted}
	slices.SortStableFunc(a.Findings, func(x, y Finding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, x.Level), slices.Index(order, y.Level)),
			cmp.Compare(slices.Index(flow.Kinds, x.Rule), slices.Index(flow.Kinds, y.Rule)),
		)
	})
	for i, c := range a.Changes {
		if c.Key == nil {
			continue
		}
		// The next audit must not say anything else, so a used key is not unneeded, either.
		delete(unneeded, ruleOf(*c.Key))
		delete(unneeded, *c.Key)
		if reason := reasons[*c.Key]; reason != "" && a.isNew(c) {
			a.Changes[i].Reason = &reason
		}
	}
	a.Unneeded = slices.Sorted(maps.Keys(unneeded))
}

// Next returns what to store of the audit, unless something is refused.
func (a *Assessment) Next() *History {
	next := a.History
	if firstNew := slices.IndexFunc(a.Changes, a.isNew); firstNew >= 0 && len(a.Changes) > maxKeptChanges {
		next.Changes = a.Changes[min(firstNew, len(a.Changes)-maxKeptChanges/2):]
	}
	return &next
}

// HasOnlySpent reports whether accepted keys differ from earlier ones only by lacking keys
// whose changes are recorded. This is no difference, because such a key is used once.
func HasOnlySpent(accepted, earlier map[string]string, changes []Change) bool {
	rest := maps.Clone(earlier)
	for _, c := range changes {
		if _, found := accepted[api.ValueOf(c.Key)]; !found {
			delete(rest, api.ValueOf(c.Key))
		}
	}
	return maps.Equal(rest, accepted)
}

// maxKeptChanges is the maximum number of changes in the state. If there are more, the
// older half is removed at once, because a plan shows every change that moves.
const maxKeptChanges = 200

// Refused returns the messages of the findings because of which an audit must not be
// recorded.
func (a *Assessment) Refused() []string {
	refusing := *a
	refusing.Unneeded = nil // Keys of the user's own rules are not known here.
	refusing.Findings = slices.DeleteFunc(slices.Clone(a.Findings), func(f Finding) bool {
		return !slices.Contains(aboutChanges, f.Rule)
	})
	return refusing.Lines(LevelError)
}
