// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"fmt"
	"maps"
	"slices"
)

// Recorded has the attributes of the resource convo_audit_record, which are planned
// values in a plan.
type Recorded struct {
	Record   string            // "" if there is none
	Changes  []Change          // the newest last
	Accepted map[string]string // reasons, by keys of findings
}

// Assessment is an audit with everything that its report says.
type Assessment struct {
	*Audit
	// HasRecord reports whether there is a record. Begins reports that it begins with this
	// audit, so that there was nothing to compare with.
	HasRecord, Begins bool
	// Findings are the errors, then the warnings, and then what is accepted.
	Findings []Finding
	// Unneeded are the keys in Accepted that match no finding.
	Unneeded []string
	// Changes are those that this audit found. Earlier are the others, the newest first.
	Changes, Earlier []Change
	// NotCompared are the IDs of agents whose definition was recorded, but not read now.
	NotCompared []string
	// NotListed are the IDs of agents, and the email addresses or names of members, that
	// stay recorded although they were not listed, because the list may be incomplete.
	NotListed []string
}

// Assess applies the built-in rules to an audit, and adds the findings of the user's own
// rules. The record is nil if there is none. It returns ErrRecord for an invalid record.
func Assess(a *Audit, recorded *Recorded, own []*OwnFinding) (*Assessment, error) {
	if recorded == nil {
		recorded = &Recorded{}
	}
	result := &Assessment{Audit: a, HasRecord: recorded.Record != ""}
	for _, c := range recorded.Changes {
		if c.At == valueOf(a.ReadAt) {
			result.Changes = append(result.Changes, c)
		} else {
			result.Earlier = append(result.Earlier, c)
		}
	}
	slices.Reverse(result.Earlier)
	if result.HasRecord {
		// A plan that only refreshes does not plan the record, so it is still the earlier one.
		comparison, err := Compare(a, recorded.Record)
		if err != nil {
			return nil, err
		}
		result.Changes = append(result.Changes, comparison.Changes...)
		result.NotCompared, result.NotListed = comparison.NotCompared, comparison.NotListed
	}
	result.Begins = slices.ContainsFunc(result.Changes, func(c Change) bool { return c.What == changedRecord })
	findings := a.findings(result.Changes)
	for i, f := range own {
		findings = append(findings, f.finding(a, i))
	}
	result.Findings, result.Unneeded = accept(findings, recorded.Accepted)
	return result, nil
}

// Unaccepted returns the findings for which a record must not be stored: about access,
// about a record of another workspace, and about much that is gone at once. The changes
// are those to store.
func Unaccepted(a *Audit, changes []Change, accepted map[string]string) []Finding {
	changes = slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return c.At != valueOf(a.ReadAt) })
	findings, _ := accept(a.findings(changes), accepted)
	return slices.DeleteFunc(findings, func(f Finding) bool {
		return f.Level != LevelError || !slices.Contains([]string{ruleAccessChanged, ruleOtherWorkspace, ruleRemoved}, f.Rule)
	})
}

// accept sets the level of the findings that are accepted, sorts the findings by their
// levels, and returns the keys that match none. A finding is accepted by its key or by
// its rule.
func accept(findings []Finding, accepted map[string]string) ([]Finding, []string) {
	unneeded, keys := maps.Clone(accepted), map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(accepted)) {
		keys[printable(key)] = key // Someone may have copied it from a report, which separates some characters.
	}
	for i, f := range findings {
		for _, text := range []string{f.Rule, f.Key} { // The reason for the key is the more specific one.
			if key, found := keys[printable(text)]; found {
				findings[i].Level, findings[i].Reason = LevelAccepted, accepted[key]
				delete(unneeded, key)
			}
		}
	}
	order := []string{LevelError, LevelWarning, LevelAccepted}
	slices.SortStableFunc(findings, func(x, y Finding) int { return slices.Index(order, x.Level) - slices.Index(order, y.Level) })
	return findings, slices.Sorted(maps.Keys(unneeded))
}

// OwnFinding is a finding of a user's own rule. It comes from expressions, so any value
// can be nil.
type OwnFinding struct {
	Level   *string `tfsdk:"level"`
	Rule    *string `tfsdk:"rule"`
	ID      *string `tfsdk:"id"`
	Message *string `tfsdk:"message"`
}

// finding returns the finding with the given position, or an error about it if it is not
// complete.
func (f *OwnFinding) finding(a *Audit, position int) Finding {
	const unnamed = "findings"
	list := &findingList{audit: a}
	switch {
	case f == nil || f.Rule == nil || *f.Rule == "":
		list.add(LevelError, unnamed, "", fmt.Sprintf("The finding with index %d has no rule.", position))
	case f.Level == nil || *f.Level != LevelError && *f.Level != LevelWarning:
		list.add(LevelError, *f.Rule, valueOf(f.ID), `The level of a finding of this rule is neither "error" nor "warning".`)
	case f.Message == nil:
		list.add(*f.Level, *f.Rule, valueOf(f.ID), "The message of a finding of this rule is null.")
	default:
		list.add(*f.Level, *f.Rule, valueOf(f.ID), *f.Message)
	}
	return list.findings[0]
}
