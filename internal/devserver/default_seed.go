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
	secondWorkspaceID = "ws_tidepool02"
)

// DefaultSeed returns two workspaces. The first one belongs to a small company, "Larkspur Bicycles", with eight
// members, twelve agents and five sessions, and has one token for each [Mode]. The second one, "Tidepool Studio", has
// the token [TokenTidepool], and members and agents with every null and every absent field that the API allows. The
// last activity is shortly before the instant of the default clock, see [WithClock].
func DefaultSeed() Seed {
	seed := Seed{Callers: defaultCallers(), Sessions: readSeed[[]Session]("sessions.json")}
	daily := readSeed[map[string][]DailyCount]("daily_counts.json")
	for _, id := range []string{mainWorkspaceID, secondWorkspaceID} {
		documents := readSeed[map[string]json.RawMessage]("workspaces/" + id + ".json")
		workspace := Workspace{ID: id, Lists: map[string][]json.RawMessage{}}
		for key, document := range documents {
			switch key {
			case "workspace":
				workspace.Record = document
				workspace.Slug = parseSeed[struct{ Slug string }](document).Slug
			case "agents":
				seed.Agents = append(seed.Agents, defaultAgents(id, document, daily)...)
			default:
				workspace.Lists[key] = parseSeed[[]json.RawMessage](document)
			}
		}
		seed.Workspaces = append(seed.Workspaces, workspace)
	}
	return seed
}

func defaultCallers() map[string]Caller {
	return map[string]Caller{
		TokenWrite:    {Mode: ModeWrite, WorkspaceID: mainWorkspaceID},
		TokenRead:     {Mode: ModeRead, WorkspaceID: mainWorkspaceID},
		TokenGuest:    {Mode: ModeGuest, WorkspaceID: mainWorkspaceID},
		TokenNoAccess: {Mode: ModeNone, WorkspaceID: mainWorkspaceID},
		TokenTidepool: {Mode: ModeWrite, WorkspaceID: secondWorkspaceID},
	}
}

func defaultAgents(workspaceID string, summaries json.RawMessage, daily map[string][]DailyCount) []Agent {
	var agents []Agent
	for _, summary := range parseSeed[[]json.RawMessage](summaries) {
		id := parseSeed[struct{ ID string }](summary).ID
		agents = append(agents, Agent{
			ID:          id,
			WorkspaceID: workspaceID,
			Summary:     summary,
			Definition:  readSeed[json.RawMessage]("agents/" + id + ".json"),
			Daily:       daily[id],
		})
	}
	return agents
}

// readSeed panics when an embedded document cannot be read, because the program was then built from a broken tree.
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
