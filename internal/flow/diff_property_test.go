// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

// object is a JSON object, list an array.
type (
	object = map[string]any
	list   = []any
)

// maker makes random definitions and edits them.
type maker struct {
	*rand.Rand
	last int
}

// fresh returns a text that occurs nowhere else.
func (m *maker) fresh() string {
	m.last++
	return []string{"id", "Größe ", "a.b[", `"\`, "\u2028😀"}[m.IntN(5)] + strconv.Itoa(m.last)
}

func (m *maker) some(element func() any) list {
	elements := list{}
	for range m.IntN(4) {
		elements = append(elements, element())
	}
	return elements
}

func (m *maker) leaf() any {
	return []any{m.fresh(), float64(m.IntN(5)), true, nil, object{}, list{}}[m.IntN(6)]
}

func (m *maker) item() any {
	return object{"id": m.fresh(), "content": m.fresh(), m.fresh(): m.leaf(), "texts": m.some(func() any { return object{"t": m.fresh()} })}
}

func (m *maker) block() any {
	return object{"id": m.fresh(), "text": m.leaf(), "items": m.some(m.item), "options": object{"list": m.some(m.leaf)}}
}

func (m *maker) node() any {
	return object{"id": m.fresh(), "title": m.fresh(), "graphCoordinates": object{"x": float64(m.IntN(9)), "y": 1.5}, "blocks": m.some(m.block)}
}

func (m *maker) named() any { return object{"id": m.fresh(), "name": m.fresh()} }

func (m *maker) definition() object {
	return object{
		"profile": object{"title": m.leaf(), "labels": m.some(func() any { return m.fresh() })},
		"canvas":  object{"presetId": m.fresh(), "annotations": m.some(m.named)},
		"graph":   object{"nodes": m.some(m.node), "links": m.some(m.named), "memory": m.some(m.named), "entrypoints": m.some(m.named)},
	}
}

// encode writes a definition with the elements of its lists in random order.
func (m *maker) encode(definition object) string {
	for _, group := range []string{"graph", "canvas"} {
		for _, part := range definition[group].(object) {
			if elements, isList := part.(list); isList {
				m.Shuffle(len(elements), func(i, j int) { elements[i], elements[j] = elements[j], elements[i] })
			}
		}
	}
	text, _ := json.Marshal(definition)
	return string(text)
}

func idOf(v any) string {
	object, _ := v.(object)
	id, _ := object["id"].(string)
	return id
}

// edit changes, adds, moves, or removes one value somewhere in the definition,
// other than an ID.
func (m *maker) edit(v any) any {
	switch v := v.(type) {
	case object:
		var keys []string
		for key := range v {
			if key != "id" && key != "graph" && key != "canvas" || v["profile"] != nil {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		structure := v["profile"] != nil || v["nodes"] != nil || v["annotations"] != nil
		switch {
		case len(keys) == 0 || m.IntN(8) == 0:
			v[m.fresh()] = m.leaf()
		case m.IntN(8) == 0 && !structure && v["x"] == nil:
			delete(v, keys[m.IntN(len(keys))])
		default:
			key := keys[m.IntN(len(keys))]
			if elements, isList := v[key].(list); isList && !structure && len(elements) > 1 && m.IntN(3) == 0 && idOf(elements[0]) != "" {
				v[key] = append(slices.Clone(elements[1:]), elements[0])
				return v
			}
			v[key] = m.edit(v[key])
		}
		return v
	case list:
		at := m.IntN(len(v) + 1)
		switch {
		case at == len(v) || m.IntN(4) == 0:
			if len(v) > 0 && idOf(v[0]) == "" {
				return slices.Insert(v, at, any(m.fresh()))
			}
			return slices.Insert(v, at, m.named())
		case m.IntN(4) == 0:
			return slices.Delete(v, at, at+1)
		}
		v[at] = m.edit(v[at])
		return v
	case float64:
		return v + 1
	}
	return m.fresh()
}

// A definition in any order is equal, and one edit is one change, the same in both
// directions. Null is no edit. The digest agrees: its hash is equal if nothing differs, and
// its only different part is the layout if only the layout differs.
func TestDiffProperties(t *testing.T) {
	t.Parallel()
	m := &maker{Rand: rand.New(rand.NewPCG(5, 6))}
	kinds := map[string]int{}
	for range 800 {
		edited := m.definition()
		before := m.encode(edited)
		if got := differences(t, before, m.encode(edited)); got != nil {
			t.Fatalf("%s in another order: %v", before, got)
		}
		m.edit(edited)
		after := m.encode(edited)
		changes := flow.Diff(parse(t, before), parse(t, after))
		checkDigests(t, before, after, changes)
		if len(changes) == 0 {
			kinds["nothing"]++
			continue
		}
		if len(changes) != 1 {
			t.Fatalf("one edit is %d changes\nbefore: %s\nafter:  %s\n%v", len(changes), before, after, differences(t, before, after))
		}
		kinds[changes[0].Change+" "+changes[0].Part+fmt.Sprint(changes[0].IsLayout)]++
		back := flow.Diff(parse(t, after), parse(t, before))
		if len(back) != 1 || !equal(back[0].Before, changes[0].After) || !equal(back[0].After, changes[0].Before) {
			t.Fatalf("%v is %v the other way around", differences(t, before, after), differences(t, after, before))
		}
	}
	if len(kinds) < 15 || kinds["nothing"] > 200 {
		t.Errorf("the edits were only %v", kinds)
	}
}

func equal(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
