// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"embed"
	"encoding/json"
	"fmt"
)

//go:embed seed
var seedFiles embed.FS

// The workspaces of the default seed.
const (
	mainWorkspaceID   = "ws_larkspur01"
	sparseWorkspaceID = "ws_tidepool02"
)

// DefaultSeed returns the seed of a small company, "Larkspur Bicycles": a workspace with eight members and twelve
// agents, a second workspace that is as empty as the interface allows, five sessions, and one token for each [Mode].
// Its last activity is shortly before the instant of the default clock, see [WithClock].
func DefaultSeed() Seed {
	seed := Seed{
		Callers:    defaultCallers(),
		Workspaces: defaultWorkspaces(),
		Sessions:   readSeed[[]Session]("sessions.json"),
	}
	daily := readSeed[map[string][]DailyCount]("daily_counts.json")
	for _, summary := range readSeed[[]json.RawMessage]("agent_summaries.json") {
		id := parseSeed[struct{ ID string }](summary).ID
		seed.Agents = append(seed.Agents, Agent{
			ID:          id,
			WorkspaceID: mainWorkspaceID,
			Summary:     summary,
			Definition:  readSeed[json.RawMessage]("agents/" + id + ".json"),
			Daily:       daily[id],
		})
	}
	return seed
}

func defaultCallers() map[string]Caller {
	return map[string]Caller{
		TokenWrite:    {Mode: ModeWrite, WorkspaceID: mainWorkspaceID},
		TokenRead:     {Mode: ModeRead, WorkspaceID: mainWorkspaceID},
		TokenGuest:    {Mode: ModeGuest, WorkspaceID: mainWorkspaceID},
		TokenNoAccess: {Mode: ModeNone, WorkspaceID: mainWorkspaceID},
	}
}

func defaultWorkspaces() []Workspace {
	var workspaces []Workspace
	for _, id := range []string{mainWorkspaceID, sparseWorkspaceID} {
		record := readSeed[json.RawMessage]("workspaces/" + id + ".json")
		workspaces = append(workspaces, Workspace{
			ID:      id,
			Slug:    parseSeed[struct{ Slug string }](record).Slug,
			Record:  record,
			Members: readSeed[[]json.RawMessage]("members/" + id + ".json"),
		})
	}
	return workspaces
}

// readSeed panics when an embedded document cannot be read: the program was built from a broken tree.
func readSeed[T any](name string) T {
	document, err := seedFiles.ReadFile("seed/" + name)
	if err != nil {
		panic(fmt.Sprintf("devserver: embedded seed: %v", err))
	}
	return parseSeed[T](document)
}

func parseSeed[T any](document []byte) T {
	var value T
	if err := json.Unmarshal(document, &value); err != nil {
		panic(fmt.Sprintf("devserver: embedded seed: %v in %s", err, document))
	}
	return value
}
