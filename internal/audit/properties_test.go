// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// notRecorded are the attributes of an agent that its record deliberately lacks: what changes by
// itself or differs among users, what follows from the rest, and what only describes.
const notRecorded = "id icon description tags created_at updated_at risk_score current_user_mode " +
	"graph_findings stats"

// Each attribute of an agent is recorded as what it is, or deliberately not recorded.
func TestRecordedAttributes(t *testing.T) {
	t.Parallel()
	ignored := strings.Fields(notRecorded)
	fields, kinds := map[string]reflect.StructField{}, map[string]kind{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Agent]()) {
		if !field.Anonymous {
			fields[field.Tag.Get("tfsdk")] = field
		}
	}
	for _, v := range ofAgents {
		if _, isAttribute := fields[v.name]; !isAttribute || slices.Contains(ignored, v.name) {
			t.Errorf("%s is recorded, but no attribute, or not to be recorded", v.name)
		}
		kinds[v.name] = v.kind
	}
	for name, field := range fields {
		kind, isRecorded := kinds[name]
		if isRecorded == slices.Contains(ignored, name) {
			t.Errorf("%s must be in one of properties and notRecorded (step 4 of Add an Attribute in ADDING.md)", name)
		}
		isFlag, isList := field.Type == reflect.TypeFor[*bool](), field.Type.Kind() == reflect.Slice
		if isRecorded && (isFlag != (kind == yesOrNo) || isList != (kind == textList)) {
			t.Errorf("%s is a %s, but recorded as kind %d", name, field.Type, kind)
		}
	}
}
