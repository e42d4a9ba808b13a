// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// withoutFields returns a copy of the seed without fields that services omit.
func (seed Seed) withoutFields() Seed {
	seed.Workspaces = slices.Clone(seed.Workspaces)
	seed.Agents = slices.Clone(seed.Agents)
	for i, workspace := range seed.Workspaces {
		documents := maps.Clone(workspace.Documents)
		documents["workspace"] = without(documents["workspace"], "chatUsage", "extras", "addons", "paymentsConnectId")
		seed.Workspaces[i].Documents = documents
	}
	for i, agent := range seed.Agents {
		seed.Agents[i].Summary = without(agent.Summary, "publishedAt", "domainId")
		seed.Agents[i].Definition = without(agent.Definition,
			"exposure.access.share", "exposure.schedule", "tenancy.workspace.collaborators", "safeguards.security")
	}
	return seed
}

// without returns a document without fields, which are paths from its root.
func without(document json.RawMessage, paths ...string) json.RawMessage {
	for _, path := range paths {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(document, &object); err != nil || object == nil {
			return document
		}
		key, rest, isNested := strings.Cut(path, ".")
		if value, ok := object[key]; ok && isNested {
			object[key] = without(value, rest)
		} else {
			delete(object, key)
		}
		document = must(json.Marshal(object))
	}
	return document
}
