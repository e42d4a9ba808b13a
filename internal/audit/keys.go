// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// keyOf returns the key of findings of a rule: about an object, unless the ID is "", and with what
// tells them from others of the rule and the object. It has nothing that could end a line or code, or
// have a meaning in a log.
func keyOf(ruleAndParts ...string) string {
	var parts []string
	for _, part := range ruleAndParts {
		if part != "" {
			parts = append(parts, strings.ReplaceAll(url.PathEscape(part), ":", "%3A"))
		}
	}
	return strings.Join(parts, "/")
}

// fingerprint returns a text that differs for different things.
func fingerprint(things ...any) string {
	text, _ := json.Marshal(things) // These can be marshaled.
	sum := sha256.Sum256(text)
	// With less, one could find two changes with the same fingerprint.
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:15]))
}

// ruleOf returns the rule of a key.
func ruleOf(key string) string {
	rule, _, _ := strings.Cut(key, "/")
	return rule
}

// accept sets the level and the reason if the finding is accepted, by the most specific of its keys: the
// rule, the rule about this object, and the key. It deletes those that accept it from unneeded.
func (f *Finding) accept(accepted, unneeded map[string]string) {
	ofObject := keyOf(f.Rule, f.ID)
	if f.IsOnce {
		ofObject = f.Rule
	}
	for _, key := range []string{f.Rule, ofObject, f.Key} {
		reason, found := accepted[key]
		if !found {
			continue
		}
		delete(unneeded, key)
		if key != f.Key { // The report says whenever a key accepted more than this.
			reason = key + ": " + reason
		}
		f.Level, f.Reason = LevelAccepted, reason
	}
}

// distinguish makes equal findings one, and gives each other one a key of its own.
func (a *Assessment) distinguish() {
	isKnown, count := map[Finding]bool{}, map[string]int{}
	a.Findings = slices.DeleteFunc(a.Findings, func(f Finding) bool {
		if isKnown[f] {
			return true
		}
		isKnown[f] = true
		count[f.Key]++
		return false
	})
	for i, f := range a.Findings {
		if count[f.Key] > 1 {
			a.Findings[i].Key += "/" + fingerprint(f.Level, f.Message)
		}
	}
}
