// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package devservertest generates data of any size for tests and benchmarks with the development server.
package devservertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// ManyAgents returns the default seed with n generated agents instead of its agents and sessions. They
// are copies of the first workspace's agents with other graphs, of 8 or 16 nodes, so that a summary has about 400 bytes
// and a definition 6 to 13 KiB. The list is in descending order of ID. Equal n give equal seeds.
func ManyAgents(n int) devserver.Seed {
	seed := devserver.DefaultSeed()
	originals := slices.DeleteFunc(seed.Agents, func(a devserver.Agent) bool { return a.WorkspaceID != seed.Workspaces[0].ID })
	graphs := []json.RawMessage{largeGraph(5 << 10), largeGraph(10 << 10)}
	seed.Agents, seed.Sessions = nil, nil
	for i := n - 1; i >= 0; i-- {
		agent := copyAgent(originals[i%len(originals)], fmt.Sprintf("agt_gen%06d", i), graphs[i%len(graphs)])
		seed.Agents = append(seed.Agents, agent)
	}
	return seed
}

// LargeAgent returns a generated agent of the first default workspace whose definition has about size bytes.
// Its graph has no findings. Equal arguments give equal agents.
func LargeAgent(id string, size int) devserver.Agent {
	return copyAgent(devserver.DefaultSeed().Agents[0], id, largeGraph(size))
}

// copyAgent copies an agent of the default seed with another ID and another graph.
func copyAgent(agent devserver.Agent, id string, graph json.RawMessage) devserver.Agent {
	rename := func(document json.RawMessage) json.RawMessage {
		return bytes.ReplaceAll(document, []byte(strconv.Quote(agent.ID)), []byte(strconv.Quote(id)))
	}
	definition := decode[map[string]json.RawMessage](rename(agent.Definition))
	definition["graph"] = graph
	return devserver.Agent{
		ID:          id,
		WorkspaceID: agent.WorkspaceID,
		Summary:     rename(agent.Summary),
		Definition:  must(json.Marshal(definition)),
		Daily:       agent.Daily,
	}
}

// graphID is an ID in a graph of the default seed.
var graphID = regexp.MustCompile(`"((?:blk|ent|grp|itm|lnk|var)_\w+)"`)

// largeGraph repeats the graph of the first default agent, which has no findings, until it has about size bytes. Each copy has
// its own IDs.
func largeGraph(size int) json.RawMessage {
	definition := decode[struct{ Graph json.RawMessage }](devserver.DefaultSeed().Agents[0].Definition)
	original := must(json.Marshal(definition.Graph))
	graph := map[string][]json.RawMessage{} // links, nodes, memory, and entrypoints
	for i, total := 0, 0; i == 0 || total < size; i++ {
		copied := graphID.ReplaceAll(original, fmt.Appendf(nil, `"${1}_%d"`, i))
		for name, list := range decode[map[string][]json.RawMessage](copied) {
			graph[name] = append(graph[name], list...)
		}
		total += len(copied)
	}
	return must(json.Marshal(graph))
}

// decode returns the value of a document of the default seed.
func decode[T any](document json.RawMessage) T {
	var value T
	err := json.Unmarshal(document, &value)
	return must(value, err)
}

// must returns a value that only a mistake in the default seed or in this package prevents.
func must[T any](value T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("devservertest: %v", err))
	}
	return value
}
