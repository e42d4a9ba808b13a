// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
)

// notRecorded are the attributes of an agent that its record deliberately lacks: what changes by
// itself or differs among users, what follows from the rest, and what only describes.
const notRecorded = "id icon description tags created_at updated_at risk_score current_user_mode " +
	"graph_findings stats"

// Each attribute of an agent is recorded as what it is, or deliberately not recorded.
func TestRecordedAttributes(t *testing.T) {
	t.Parallel()
	ignored := strings.Fields(notRecorded)
	audit, err := Parse(audittest.JSON(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	agent := audit.Agents["agt_1"]
	recorded := map[string]property{}
	for _, v := range agentTable(agent) {
		recorded[v.name] = v
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Agent]()) {
		name := field.Tag.Get("tfsdk")
		v, isRecorded := recorded[name]
		delete(recorded, name)
		isState, isList := field.Type == reflect.TypeFor[*bool](), field.Type.Kind() == reflect.Slice
		value := reflect.ValueOf(*agent).FieldByIndex(field.Index).Interface()
		switch {
		case field.Anonymous:
		case isRecorded == slices.Contains(ignored, name):
			t.Errorf("%s must be in one of agentTable and notRecorded (step 4 of Add an Attribute in ADDING.md)", name)
		case isRecorded && (isState != (v.kind == yesOrNo) || isList != (v.kind == textList) || isList && !reflect.DeepEqual(v.sent, value) || !isList && v.sent != value):
			t.Errorf("%s is recorded as another kind, or as another attribute", name)
		}
	}
	if len(recorded) > 0 {
		t.Errorf("%v are recorded, but no attributes", recorded)
	}
}
