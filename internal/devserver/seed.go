// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// Seed is the data of a [Server]. Documents are returned unchanged, whether they conform to the API or not, so that a
// test can also make the server return invalid responses.
type Seed struct {
	// Callers are by bearer token.
	Callers    map[string]Caller
	Workspaces []Workspace
	// Agents are in the order of listAgents.
	Agents []Agent
	// Sessions has whether a session is active, by its ID. The API does not document the
	// fields of a session.
	Sessions map[string]bool
	// Failures are the statuses of requests that fail, by the name of an operation or the ID
	// of an agent or a session.
	Failures map[string]int
}

// Caller is the user that a bearer token belongs to.
type Caller struct {
	// Mode is the caller's mode on every object.
	Mode Mode `json:"mode"`
	// WorkspaceID is the caller's current workspace.
	WorkspaceID string `json:"workspaceId"`
}

// Workspace is a workspace with what the API returns for it.
type Workspace struct {
	ID string
	// Slug is empty for a workspace without one.
	Slug string
	// Documents are by key of the response, such as `workspace` and `members`.
	Documents map[string]json.RawMessage
}

// Agent is an agent in its two forms, with what the API returns for it beside them.
type Agent struct {
	ID          string
	WorkspaceID string
	// Summary is an element of the array `agents` of listAgents.
	Summary json.RawMessage
	// Definition is the value of the key `agent` of getAgent.
	Definition json.RawMessage
	// Documents are by key of the response; `stats` has one for each period.
	Documents map[string]json.RawMessage
}

//go:embed seed
var defaultSeed embed.FS

// DefaultSeed returns two workspaces. The first one belongs to a small company, "Larkspur Bicycles", with eight
// members, twelve agents and five sessions, and has one token for each [Mode]. The second one, "Tidepool Studio", has
// the token [TokenTidepool], and members and agents with every null and every absent field that the API allows.
func DefaultSeed() Seed {
	directory, _ := fs.Sub(defaultSeed, "seed") // fails only if the name is invalid
	seed, err := ReadSeed(directory)
	if err != nil {
		panic(err)
	}
	return seed
}

// ReadSeed reads a seed from a directory with the files of the default seed, which is the directory seed of this package:
// callers.json and sessions.json, a file in workspaces for each workspace with its documents by key, in agents the
// definition of each agent that a workspace lists under the key agents, and documents.json with the agents' other documents.
func ReadSeed(directory fs.FS) (Seed, error) {
	var seed Seed
	var documents map[string]map[string]json.RawMessage
	files, err := fs.Glob(directory, "workspaces/*.json")
	err = errors.Join(
		err,
		readJSON(directory, "callers.json", &seed.Callers),
		readJSON(directory, "sessions.json", &seed.Sessions),
		readJSON(directory, "documents.json", &documents),
	)
	for _, file := range files {
		err = errors.Join(err, seed.addWorkspace(directory, file))
	}
	for i, agent := range seed.Agents {
		seed.Agents[i].Documents = documents[agent.ID]
		file := path.Join("agents", agent.ID+".json")
		err = errors.Join(err, readJSON(directory, file, &seed.Agents[i].Definition))
	}
	return seed, err
}

// addWorkspace adds the workspace in a file, and its agents.
func (seed *Seed) addWorkspace(directory fs.FS, file string) error {
	var documents map[string]json.RawMessage
	var content struct {
		Workspace struct{ ID, Slug string }
		Agents    []json.RawMessage
	}
	if err := readJSON(directory, file, &documents); err != nil {
		return err
	}
	if err := readJSON(directory, file, &content); err != nil {
		return err
	}
	id := content.Workspace.ID
	seed.Workspaces = append(seed.Workspaces, Workspace{id, content.Workspace.Slug, documents})
	for _, summary := range content.Agents {
		var agent struct{ ID string }
		_ = json.Unmarshal(summary, &agent) // Without an ID, the agent's file is missing.
		seed.Agents = append(seed.Agents, Agent{ID: agent.ID, WorkspaceID: id, Summary: summary})
	}
	return nil
}

// readJSON reads a file. Its errors begin with the file and the line.
func readJSON(directory fs.FS, file string, value any) error {
	content, err := fs.ReadFile(directory, file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, value); err != nil {
		line := 1
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			line += bytes.Count(content[:syntax.Offset], []byte("\n"))
		}
		return fmt.Errorf("%s:%d: %w", file, line, err)
	}
	return nil
}
