// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"strings"
	"testing"
)

// edited is a definition without mistakes, in which texts have been replaced, each of them
// once. Sessions start at the node "menu", whose buttons lead to the other nodes.
func edited(t *testing.T, edits ...string) string {
	t.Helper()
	definition := `{"ref": {"key": "agt_1"}, "graph": {
		"entrypoints": [{"id": "start", "type": "start", "outgoingEdgeId": "l0"}],
		"links": [
			{"id": "l0", "from": {"blockId": "start"}, "to": {"groupId": "menu"}},
			{"id": "l1", "from": {"blockId": "ask", "itemId": "yes"}, "to": {"groupId": "order"}},
			{"id": "l2", "from": {"blockId": "ask", "itemId": "no"}, "to": {"groupId": "bye", "blockId": "end"}},
			{"id": "l3", "from": {"blockId": "pay"}, "to": {"groupId": "check"}},
			{"id": "l4", "from": {"blockId": "if"}, "to": {"groupId": "bye"}}
		],
		"nodes": [
			{"id": "menu", "title": "Menu", "blocks": [{"id": "hi"}, {"id": "ask", "items": [
				{"id": "yes", "outgoingEdgeId": "l1"}, {"id": "no", "outgoingEdgeId": "l2"}
			]}]},
			{"id": "order", "title": "Order", "blocks": [{"id": "pay", "options": {"saveIn": "v1"}, "outgoingEdgeId": "l3"}]},
			{"id": "check", "title": "Check", "blocks": [{"id": "if", "saveIn": "v2", "outgoingEdgeId": "l4"}]},
			{"id": "bye", "title": "Bye", "blocks": [{"id": "end", "options": {"groupId": "menu", "blockId": "ask"}}]}
		],
		"memory": [{"id": "v1", "name": "Total"}, {"id": "v2", "name": "Name"}]
	}}`
	for i := 0; i < len(edits); i += 2 {
		if strings.Count(definition, edits[i]) != 1 {
			t.Fatalf("%s occurs %d times", edits[i], strings.Count(definition, edits[i]))
		}
		definition = strings.Replace(definition, edits[i], edits[i+1], 1)
	}
	return definition
}

// references are edits of a definition, and the findings of the result.
type references map[string]struct{ edits, want []string }

func (r references) check(t *testing.T) {
	t.Helper()
	all := samples{}
	for name, test := range r {
		definition := edited(t, test.edits...)
		draw(t, definition)
		all[name] = sample{definition, test.want}
	}
	all.check(t)
}

// A jump or a link names a node under groupId, and an item of that node under blockId.
func TestTargets(t *testing.T) {
	t.Parallel()
	const jump, link = `"groupId": "menu", "blockId": "ask"`, `"groupId": "bye", "blockId": "end"`
	noJump, noLink := []string{"dangling_jump end (Bye)"}, []string{"dangling_link l2 (Menu)"}
	references{
		"sound":                      {nil, nil},
		"jump to a deleted item":     {[]string{jump, `"groupId": "menu", "blockId": "gone"`}, noJump},
		"jump to a moved item":       {[]string{jump, `"groupId": "menu", "blockId": "pay"`}, noJump},
		"jump to an item in no node": {[]string{jump, `"blockId": "gone"`}, nil},
		"jump to a variable item":    {[]string{jump, `"groupId": "menu", "blockId": "{{Total}}"`}, nil},
		"link to a nested item":      {[]string{link, `"groupId": "menu", "blockId": "no"`}, nil},
		"link to a deleted item":     {[]string{link, `"groupId": "bye", "blockId": "gone"`}, noLink},
		"link to an entry point":     {[]string{link, `"groupId": "start"`}, noLink},
		"jump to an entry point":     {[]string{jump, `"groupId": "start"`}, noJump},
	}.check(t)
	checkMessages(t, edited(t, jump, `"groupId": "menu", "blockId": "gone"`, link, `"groupId": "gone"`),
		`dangling_link l2: The link from the node "Menu" leads to "gone", which is not in the graph. A session may end there.`,
		`dangling_jump end: A jump in the element "end" in the node "Bye" leads to the element "gone" in the node "Menu", which does not contain it. A session may end there.`)
	diagram := draw(t, edited(t, jump, `"groupId": "menu", "blockId": "gone"`))
	if want := `m_gone{{"Missing#58; gone"}}:::missing` + "\nn_bye -.-> m_gone\n"; !strings.Contains(diagram, want) {
		t.Errorf("no %s in\n%s", want, diagram)
	}
}

// A link starts at the most precise source that it names.
func TestSources(t *testing.T) {
	t.Parallel()
	const unnamed, from = `"no", "outgoingEdgeId": "l2"`, `"blockId": "ask", "itemId": "no"`
	orphaned := []string{"orphaned_link l2 (Bye)"}
	references{
		"named by another button":      {[]string{`, {"id": "no", "outgoingEdgeId": "l2"}`, `, {"id": "new", "outgoingEdgeId": "l2"}`}, nil},
		"a deleted item":               {[]string{unnamed, `"no"`, from, `"blockId": "gone"`}, orphaned},
		"a deleted item with a button": {[]string{from, `"blockId": "gone", "itemId": "no"`}, nil},
		"outside of the graph":         {[]string{`{"ref"`, `{"execution": {"trigger": {"id": "t"}}, "ref"`, `{"blockId": "if"}`, `{"blockId": "t"}`, `"saveIn": "v2", "outgoingEdgeId": "l4"`, `"saveIn": "v2"`, `"groupId": "bye", "blockId": "end"`, `"groupId": "order"`}, []string{"orphaned_link l4 (Bye)"}},
		"no ID of an item":             {[]string{unnamed, `"no"`, from, `"blockId": "ask", "itemId": "right"`, `"itemId": "yes"`, `"itemId": "left"`}, []string{"orphaned_link l2 (Menu)"}},
	}.check(t)
	checkMessages(t, edited(t, `, {"id": "no", "outgoingEdgeId": "l2"}`, ``),
		`orphaned_link l2: The link to the node "Bye" comes from "no", which is not in the graph. No session uses the link.`)
	// The coarser ID is no way.
	checkMessages(t, edited(t, `, {"id": "no", "outgoingEdgeId": "l2"}`, ``, `{"blockId": "if"}, "to": {"groupId": "bye"}`, `{"blockId": "if"}, "to": {"groupId": "menu"}`),
		`unreachable_node bye: No links or jumps lead from an entry point to the node "Bye", so no session reaches it.`,
		`orphaned_link l2: The link to the node "Bye" comes from "no", which is not in the graph. No session uses the link.`)
	// Of two IDs in different nodes, the finer one counts.
	checkMessages(t, edited(t, unnamed, `"no"`, `"yes", "outgoingEdgeId": "l1"`, `"yes"`, `"id": "if"`, `"id": "if", "items": [{"id": "maybe"}]`,
		from+`}, "to": {"groupId": "bye", "blockId": "end"}`, `"blockId": "ask", "itemId": "maybe"}, "to": {"groupId": "gone"}`),
		`dangling_link l2: The link from the node "Check" leads to "gone", which is not in the graph. A session may end there.`)
	diagram := draw(t, edited(t, `, {"id": "no", "outgoingEdgeId": "l2"}`, ``))
	if want := `o_no{{"Missing start#58; no"}}:::orphaned` + "\no_no --> n_bye\n"; !strings.Contains(diagram, want) || strings.Contains(diagram, "n_menu --> n_bye") {
		t.Errorf("no %s in\n%s", want, diagram)
	}
}

// If an item names a link that starts at it, sessions do not follow those that none names.
func TestUnfollowedLinks(t *testing.T) {
	t.Parallel()
	const pay, check = `"saveIn": "v1"}, "outgoingEdgeId": "l3"`, `"saveIn": "v2", "outgoingEdgeId": "l4"`
	references{
		"an item":         {[]string{check, `"saveIn": "v2"`}, []string{"orphaned_link l4 (Check)"}},
		"a button":        {[]string{`"no", "outgoingEdgeId": "l2"`, `"no"`}, []string{"orphaned_link l2 (Menu)"}},
		"all items":       {[]string{check, `"saveIn": "v2"`, pay, `"saveIn": "v1"}`}, nil},
		"the entry point": {[]string{`"start", "outgoingEdgeId": "l0"`, `"start"`}, nil},
		"a node":          {[]string{check, `"saveIn": "v2"`, `{"blockId": "if"}`, `{"blockId": "check"}`}, nil},
		"two of three":    {[]string{check, `"saveIn": "v2"`, `{"id": "hi"}`, `{"id": "hi"}, {"id": "or"}`, `{"id": "l0"`, `{"id": "m", "from": {"blockId": "or"}, "to": {"groupId": "order"}}, {"id": "l0"`}, []string{"orphaned_link l4 (Check)", "orphaned_link m (Menu)"}},
		"named higher":    {[]string{`"yes", "outgoingEdgeId": "l1"`, `"yes"`, `"no", "outgoingEdgeId": "l2"`, `"no"`, `"id": "ask"`, `"id": "ask", "outgoingEdgeId": "l1"`}, nil},
		// Neither a node, something without an ID, nor something outside of the nodes names a link of an item.
		"named by nodes":    {[]string{check + `}]}`, `"saveIn": "v2"}], "outgoingEdgeId": "l4"}`, pay + `}]}`, `"saveIn": "v1"}}], "outgoingEdgeId": "l3"}`}, []string{"unreachable_node check (Check)", "orphaned_link l3 (Order)", "orphaned_link l4 (Check)"}},
		"named deeper":      {[]string{check, `"saveIn": "v2"`, pay, `"saveIn": "v1", "outgoingEdgeId": "l3"}`}, []string{"unreachable_node check (Check)", "orphaned_link l3 (Order)"}},
		"named outside":     {[]string{`{"ref"`, `{"execution": {"id": "x", "outgoingEdgeId": "l4"}, "ref"`, check, `"saveIn": "v2"`}, []string{"orphaned_link l4 (Check)"}},
		"named by its node": {[]string{check + `}]}`, `"saveIn": "v2"}], "outgoingEdgeId": "l4"}`, `{"blockId": "if"}`, `{"blockId": "check"}`}, nil},
	}.check(t)
	// A session leaves where the link is named.
	checkMessages(t, edited(t, `"no", "outgoingEdgeId": "l2"`, `"no"`, `{"id": "if"`, `{"id": "more", "outgoingEdgeId": "l2"}, {"id": "if"`, `"if"}, "to": {"groupId": "bye"}`, `"if"}, "to": {"groupId": "menu"}`, `{"groupId": "order"}`, `{"groupId": "menu"}`),
		`unreachable_node order: No links or jumps lead from an entry point to the node "Order", so no session reaches it or the 2 nodes behind it.`)
	last := edited(t, check, `"saveIn": "v2"`, `"groupId": "bye", "blockId": "end"`, `"groupId": "order"`)
	checkMessages(t, last,
		`unreachable_node bye: No links or jumps lead from an entry point to the node "Bye", so no session reaches it.`,
		`orphaned_link l4: The link from the node "Check" is in no outgoingEdgeId of an element, unlike other links. No session uses it, and a session may end there.`)
	checkMessages(t, edited(t, check+`}]}`, `"saveIn": "v2"}], "outgoingEdgeId": "l4"}`),
		`orphaned_link l4: The link from the node "Check" is in no outgoingEdgeId of an element, unlike other links. No session uses it, and a session may end there.`)
	checkMessages(t, edited(t, check, `"saveIn": "v2"`, `"if"}, "to": {"groupId": "bye"}`, `"if"}, "to": {"groupId": "gone"}`),
		`orphaned_link l4: The link from the node "Check" is in no outgoingEdgeId of an element, unlike other links. No session uses it, and a session may end there.`)
	diagram := draw(t, last)
	if want := `u_l4{{"Unused link#58; l4"}}:::orphaned` + "\nu_l4 --> n_bye\n"; !strings.Contains(diagram, want) || strings.Contains(diagram, "n_check -->") {
		t.Errorf("no %s in\n%s", want, diagram)
	}
}

// If entry points name links, but nothing in a node does, nobody may follow the others.
func TestLinksThatNothingNames(t *testing.T) {
	t.Parallel()
	unnamed := []string{
		`"yes", "outgoingEdgeId": "l1"`, `"yes"`, `"no", "outgoingEdgeId": "l2"`, `"no"`,
		`"saveIn": "v1"}, "outgoingEdgeId": "l3"`, `"saveIn": "v1"}`, `"saveIn": "v2", "outgoingEdgeId": "l4"`, `"saveIn": "v2"`,
	}
	checkMessages(t, edited(t, unnamed...), "graph_not_understood : Entry points name their links in outgoingEdgeId, but nothing in a node does. A session may end at each link from a node (4).")
	references{
		"nodes name one":           {append(unnamed, `"title": "Check"`, `"outgoingEdgeId": "l4"`), []string{"graph_not_understood ()"}},
		"no entry point names one": {append(unnamed, `"start", "outgoingEdgeId": "l0"`, `"start"`), nil},
		"one is named":             {unnamed[2:], []string{"orphaned_link l2 (Menu)"}},
		"a missing one is named":   {append(unnamed, `"saveIn": "v2"`, `"saveIn": "v2", "outgoingEdgeId": "gone"`), []string{"missing_link if (Check)"}},
	}.check(t)
}

// A key of IDs of variables can have one that is not in the graph.
func TestVariableKeys(t *testing.T) {
	t.Parallel()
	const v1, v2 = `"saveIn": "v1"`, `"saveIn": "v2"`
	gone := []string{"undefined_variable check (gone)", "unused_variable v2 (Name)"}
	references{
		"deleted":               {[]string{v2, `"saveIn": "gone"`}, gone},
		"in an entry point":     {[]string{`"type": "start"`, `"type": "start", "saveIn": "gone"`}, []string{"undefined_variable start (gone)"}},
		"beside a jump":         {[]string{`"menu", "blockId": "ask"`, `"menu", "blockId": "gone", "saveId": "v9"`, v1, `"saveId": "v1"`, v2, `"saveId": "v2"`}, []string{"dangling_jump end (Bye)", "undefined_variable bye (v9)"}},
		"a key of nothing":      {[]string{v2, v2 + `, "putIn": "gone"`}, nil},
		"equal by coincidence":  {[]string{v2, v2 + `, "mode": ["v1", "fast", "slow"]`}, nil},
		"mostly unknown":        {[]string{v2, `"saveIn": ["g1", "g2"]`}, []string{"unused_variable v2 (Name)"}},
		"outside of the nodes":  {[]string{`{"ref"`, `{"execution": {"saveIn": "gone"}, "ref"`}, nil},
		"no variables are left": {[]string{v1, `"saveIn": "g1"`, v2, `"saveIn": "g2"`, `{"id": "v1", "name": "Total"}, {"id": "v2", "name": "Name"}`, ``}, nil},
	}.check(t)
	checkMessages(t, edited(t, v2, `"saveIn": "gone", "else": {"saveIn": "v2"}`, v1, `"saveIn": "v1", "else": {"saveIn": "gone"}`),
		`undefined_variable order: No variable has the ID "gone", which the node "Order" and 1 more use. A session has no value for it.`)
}

// Names in braces are compared as they stand, also in formulas.
func TestNamesInBraces(t *testing.T) {
	t.Parallel()
	names := func(name, text string) []string {
		return []string{`"name": "Total"`, `"name": "` + name + `"`, `"saveIn": "v1"`, `"text": "` + text + `"`}
	}
	unused := func(name string) []string { return []string{"unused_variable v1 (" + name + ")"} }
	undefined := func(text, name string) []string {
		return append([]string{"undefined_variable order (" + text + ")"}, unused(name)...)
	}
	references{
		"a space before":       {names(" Total", "{{ Total}}"), nil},
		"a space that differs": {names(" Total", "{{Total}}"), undefined("Total", "Total")},
		"in quotes":            {names(" Total", "set(' Total', 1)"), nil},
		"an apostrophe":        {names("It's", "{{It's}}"), nil},
		"formula":              {names("Total price", "{{={{Total price}}*2=}}"), nil},
		"no formula":           {names("Total price", "{{ 2 Total price 3 }}"), undefined("2 Total price 3", "Total price")},
	}.check(t)
}
