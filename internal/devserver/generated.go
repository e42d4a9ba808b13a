// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
)

// originals is the number of agents of the first workspace of the default seed, which come first.
const originals = 12

// ManyAgents returns the default seed with n generated agents instead of its agents. They
// are copies of the first workspace's agents with other graphs, of 8 or 16 nodes, so that a summary has about 400 bytes
// and a definition 6 to 13 KiB. The list is in descending order of ID.
func ManyAgents(n int) Seed {
	seed := DefaultSeed()
	graphs := []json.RawMessage{
		largeGraph(5 << 10),
		largeGraph(10 << 10),
	}
	agents := seed.Agents[:originals]
	seed.Agents = nil
	for i := n - 1; i >= 0; i-- {
		id := fmt.Sprintf("agt_gen%06d", i)
		original := agents[i%originals]
		graph := graphs[i%len(graphs)]
		seed.Agents = append(seed.Agents, copyAgent(original, id, graph))
	}
	return seed
}

// LargeAgent returns a generated agent of the first default workspace whose definition has about size bytes.
// Its graph has no findings.
func LargeAgent(id string, size int) Agent {
	return copyAgent(DefaultSeed().Agents[0], id, largeGraph(size))
}

// copyAgent copies an agent of the default seed with another ID and another graph.
func copyAgent(agent Agent, id string, graph json.RawMessage) Agent {
	oldID := []byte(`"` + agent.ID + `"`)
	newID := []byte(`"` + id + `"`)
	var definition map[string]json.RawMessage
	decode(agent.Definition, &definition)
	definition["graph"] = graph
	agent.ID = id
	agent.Summary = bytes.ReplaceAll(agent.Summary, oldID, newID)
	agent.Definition = bytes.ReplaceAll(encode(definition), oldID, newID)
	return agent
}

// graphID is an ID in a graph of the default seed.
var graphID = regexp.MustCompile(`"((?:blk|ent|grp|itm|lnk|var)_\w+)"`)

// largeGraph repeats the graph of the first default agent, which has no findings, until it has about size bytes. Each copy has
// its own IDs.
func largeGraph(size int) json.RawMessage {
	var definition struct{ Graph json.RawMessage }
	decode(DefaultSeed().Agents[0].Definition, &definition)
	original := encode(definition.Graph)
	graph := map[string][]json.RawMessage{} // links, nodes, memory, and entrypoints
	for i := range size/len(original) + 1 {
		copied := graphID.ReplaceAll(original, fmt.Appendf(nil, `"${1}_%d"`, i))
		var lists map[string][]json.RawMessage
		decode(copied, &lists)
		for name, list := range lists {
			graph[name] = append(graph[name], list...)
		}
	}
	return encode(graph)
}

// decode decodes a document, which fails only after a mistake in the default seed or here.
func decode(document []byte, value any) {
	if err := json.Unmarshal(document, value); err != nil {
		panic(err)
	}
}

func encode(value any) []byte {
	document, _ := json.Marshal(value) // It has no value for which this fails.
	return document
}
