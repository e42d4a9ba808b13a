// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/flow"
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

// encode writes a definition with its keys, and the elements of its lists, in
// random order.
func (m *maker) encode(definition object) string {
	for _, group := range []string{"graph", "canvas"} {
		for _, part := range definition[group].(object) {
			if elements, isList := part.(list); isList {
				m.Shuffle(len(elements), func(i, j int) { elements[i], elements[j] = elements[j], elements[i] })
			}
		}
	}
	return m.encodeValue(definition)
}

func (m *maker) encodeValue(v any) string {
	var parts []string
	switch v := v.(type) {
	case object:
		for key, member := range v {
			parts = append(parts, quoted(key)+":"+m.encodeValue(member))
		}
		m.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return "{" + strings.Join(parts, ",") + "}"
	case list:
		for _, element := range v {
			parts = append(parts, m.encodeValue(element))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return quoted(v)
}

func quoted(v any) string {
	text, _ := json.Marshal(v)
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

// apply applies a change to a value, of which the path is one step after the
// other.
func apply(v any, path []string, change flow.Change) any {
	if ids := orderOf(change); len(path) == 0 && ids != nil {
		slices.SortFunc(v.(list), func(x, y any) int { return slices.Index(ids, any(idOf(x))) - slices.Index(ids, any(idOf(y))) })
		return v
	}
	if len(path) == 0 {
		return decoded(change.After)
	}
	step := path[0]
	absent := len(path) == 1 && change.Before == nil
	gone := len(path) == 1 && change.After == nil
	elements, isList := v.(list)
	if !isList {
		members := v.(object)
		if gone {
			delete(members, step)
		} else {
			members[step] = apply(members[step], path[1:], change)
		}
		return members
	}
	at := slices.IndexFunc(elements, func(element any) bool { return `"`+idOf(element)+`"` == step })
	if position, err := strconv.Atoi(step); err == nil {
		at = position
	}
	switch {
	case absent && at < 0:
		return append(elements, decoded(change.After))
	case absent:
		return slices.Insert(elements, at, decoded(change.After))
	case gone:
		return slices.Delete(elements, at, at+1)
	}
	elements[at] = apply(elements[at], path[1:], change)
	return elements
}

// orderOf returns the IDs after a change of their order.
func orderOf(change flow.Change) list {
	before, _ := decoded(change.Before).(list)
	after, _ := decoded(change.After).(list)
	isText := func(v any) bool { _, ok := v.(string); return ok }
	if len(before) == 0 || !isText(before[0]) || len(after) == 0 || !isText(after[0]) {
		return nil
	}
	return after
}

func decoded(text *string) any {
	var v any
	if text != nil {
		_ = json.Unmarshal([]byte(*text), &v)
	}
	return v
}

var pathStep = regexp.MustCompile(`\["(?:[^"\\]|\\.)*"\]|\[\d+\]|[^.\[]+`)

// steps returns the steps of a path: keys, and what stands in brackets for
// elements.
func steps(v any, path string) []string {
	var steps []string
	for _, step := range pathStep.FindAllString(path, -1) {
		_, isList := v.(list)
		if inside, found := strings.CutPrefix(step, "["); found {
			step = strings.TrimSuffix(inside, "]")
			if strings.HasPrefix(step, `"`) {
				text := step
				_ = json.Unmarshal([]byte(text), &step)
				if isList {
					step = `"` + step + `"`
				}
			}
		}
		steps = append(steps, step)
		switch parent := v.(type) {
		case object:
			v = parent[step]
		case list:
			at := slices.IndexFunc(parent, func(element any) bool { return `"`+idOf(element)+`"` == step })
			if position, err := strconv.Atoi(step); err == nil {
				at = position
			}
			v = nil
			if at >= 0 && at < len(parent) {
				v = parent[at]
			}
		}
	}
	return steps
}

// applyAll applies all changes. Those of one array are in the order of positions,
// with removed elements after all others, and a change of their order last.
func applyAll(definition object, changes []flow.Change) {
	lists := map[string][]string{
		flow.PartNode: {"graph", "nodes"}, flow.PartLink: {"graph", "links"}, flow.PartVariable: {"graph", "memory"},
		flow.PartEntrypoint: {"graph", "entrypoints"}, flow.PartAnnotation: {"canvas", "annotations"},
	}
	slices.SortStableFunc(changes, func(x, y flow.Change) int {
		rank := func(c flow.Change) int {
			switch {
			case orderOf(c) != nil:
				return 3
			case c.Before != nil && c.After != nil:
				return 0
			case c.After != nil:
				return 1
			}
			return 2
		}
		if rank(x) != rank(y) {
			return rank(x) - rank(y)
		}
		if rank(x) == 2 {
			x, y = y, x
		}
		return cmp.Or(len(x.Path)-len(y.Path), strings.Compare(x.Path, y.Path))
	})
	for _, change := range changes {
		prefix := lists[change.Part]
		var parent any = definition
		for _, step := range prefix {
			parent = parent.(object)[step]
		}
		if prefix != nil {
			at := slices.IndexFunc(parent.(list), func(element any) bool { return idOf(element) == change.ID })
			prefix = append(slices.Clone(prefix), `"`+change.ID+`"`)
			if at >= 0 {
				parent = parent.(list)[at]
			}
		}
		if change.IsLayout {
			for key := range decoded(change.Before).(object) {
				delete(parent.(object), key)
			}
			for key, value := range decoded(change.After).(object) {
				parent.(object)[key] = value
			}
			continue
		}
		apply(definition, append(prefix, steps(parent, change.Path)...), change)
	}
}

// A definition in any order is equal, one edit is one change, and the changes
// are all that differs.
func TestDiffProperties(t *testing.T) {
	t.Parallel()
	m := &maker{Rand: rand.New(rand.NewPCG(5, 6))} //nolint:gosec // The same definitions every time, and no secret.
	kinds := map[string]int{}
	for range 2000 {
		definition := m.definition()
		before := m.encode(definition)
		if got := differences(t, before, m.encode(definition)); got != nil {
			t.Fatalf("%s in another order: %v", before, got)
		}
		m.edit(definition)
		after := m.encode(definition)
		changes := flow.Diff(parse(t, before), parse(t, after))
		if len(changes) != 1 {
			t.Fatalf("one edit is %d changes\nbefore: %s\nafter:  %s\n%v", len(changes), before, after, differences(t, before, after))
		}
		kinds[changes[0].Change+" "+changes[0].Part+fmt.Sprint(changes[0].IsLayout)]++
		for range m.IntN(8) {
			m.edit(definition)
		}
		after = m.encode(definition)
		changes = flow.Diff(parse(t, before), parse(t, after))
		applied := decoded(&before).(object)
		applyAll(applied, changes)
		text := quoted(applied)
		for _, change := range flow.Diff(parse(t, text), parse(t, after)) {
			// The changes do not contain the positions of elements that were added.
			if added := regexp.MustCompile("^" + regexp.QuoteMeta(change.Path) + `\[`); orderOf(change) != nil && slices.ContainsFunc(changes, func(c flow.Change) bool {
				return c.ID == change.ID && c.Before == nil && added.MatchString(c.Path)
			}) {
				continue
			}
			t.Fatalf("the changes are not all\nbefore:  %s\nafter:   %s\napplied: %s\n%s\n%s", before, after, text, strings.Join(differences(t, before, after), "\n"), strings.Join(differences(t, text, after), "\n"))
		}
	}
	if len(kinds) < 15 {
		t.Errorf("the edits were only %v", kinds)
	}
}
