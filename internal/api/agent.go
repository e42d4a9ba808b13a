// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package api

import (
	"math/big"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Agent has the documented fields of a definition, which getAgent returns. The API does not
// document which fields can be null: all can be here.
type Agent struct {
	AgentSettings
	Graph     *Graph     `json:"graph" tfsdk:"graph"`
	Canvas    *Canvas    `json:"canvas" tfsdk:"canvas"`
	Execution *Execution `json:"execution" tfsdk:"execution"`
	Telemetry *Telemetry `json:"telemetry" tfsdk:"telemetry"`
}

// AgentSettings has the fields of an Agent that an audit contains. Decoding the others takes
// time.
type AgentSettings struct {
	Ref          *Ref          `json:"ref" tfsdk:"ref"`
	Profile      *Profile      `json:"profile" tfsdk:"profile"`
	Exposure     *Exposure     `json:"exposure" tfsdk:"exposure"`
	Tenancy      *Tenancy      `json:"tenancy" tfsdk:"tenancy"`
	Timestamps   *Timestamps   `json:"timestamps" tfsdk:"timestamps"`
	Taxonomy     *Taxonomy     `json:"taxonomy" tfsdk:"taxonomy"`
	Safeguards   *Safeguards   `json:"safeguards" tfsdk:"safeguards"`
	Integrations *Integrations `json:"integrations" tfsdk:"integrations"`
}

// Ref identifies an agent and the revision of its definition.
type Ref struct {
	Key       *string `json:"key" tfsdk:"key"`
	Revision  *string `json:"revision" tfsdk:"revision"`
	PublicKey *string `json:"publicKey" tfsdk:"public_key"`
}

// Profile describes an agent.
type Profile struct {
	Title   *string   `json:"title" tfsdk:"title"`
	Summary *string   `json:"summary" tfsdk:"summary"`
	Icon    *string   `json:"icon" tfsdk:"icon"`
	Labels  []*string `json:"labels" tfsdk:"labels"`
}

// Graph is the conversation flow.
type Graph struct {
	Links []struct {
		ID   *string `json:"id" tfsdk:"id"`
		From *struct {
			BlockID *string `json:"blockId" tfsdk:"block_id"`
			ItemID  *string `json:"itemId" tfsdk:"item_id"`
		} `json:"from" tfsdk:"from"`
		To *struct {
			GroupID *string `json:"groupId" tfsdk:"group_id"`
			BlockID *string `json:"blockId" tfsdk:"block_id"`
		} `json:"to" tfsdk:"to"`
	} `json:"links" tfsdk:"links"`
	NodesJSON *jsonvalue.JSON `json:"nodes" tfsdk:"nodes_json"`
	Memory    []struct {
		ID                *string `json:"id" tfsdk:"id"`
		Name              *string `json:"name" tfsdk:"name"`
		IsSessionVariable *bool   `json:"isSessionVariable" tfsdk:"is_session_variable"`
		Value             *string `json:"value" tfsdk:"value"`
	} `json:"memory" tfsdk:"memory"`
	Entrypoints []struct {
		ID               *string `json:"id" tfsdk:"id"`
		GraphCoordinates *struct {
			X *big.Float `json:"x" tfsdk:"x"`
			Y *big.Float `json:"y" tfsdk:"y"`
		} `json:"graphCoordinates" tfsdk:"graph_coordinates"`
		Type           *string `json:"type" tfsdk:"type"`
		OutgoingEdgeID *string `json:"outgoingEdgeId" tfsdk:"outgoing_edge_id"`
	} `json:"entrypoints" tfsdk:"entrypoints"`
}

// Canvas is the appearance of the graph in the editor.
type Canvas struct {
	AppearanceJSON *jsonvalue.JSON `json:"appearance" tfsdk:"appearance_json"`
	Annotations    []struct {
		ID      *string    `json:"id" tfsdk:"id"`
		Type    *string    `json:"type" tfsdk:"type"`
		Content *string    `json:"content" tfsdk:"content"`
		X       *big.Float `json:"x" tfsdk:"x"`
		Y       *big.Float `json:"y" tfsdk:"y"`
		Width   *big.Float `json:"width" tfsdk:"width"`
		Height  *big.Float `json:"height" tfsdk:"height"`
		Color   *string    `json:"color" tfsdk:"color"`
		ZIndex  *big.Float `json:"zIndex" tfsdk:"z_index"`
	} `json:"annotations" tfsdk:"annotations"`
	PresetID *string `json:"presetId" tfsdk:"preset_id"`
}

// Execution has rules and simulation settings.
type Execution struct {
	RulesJSON      *jsonvalue.JSON `json:"rules" tfsdk:"rules_json"`
	SimulationJSON *jsonvalue.JSON `json:"simulation" tfsdk:"simulation_json"`
}

// Exposure has the publication state, the publication time, and the access settings.
type Exposure struct {
	State *struct {
		Published *bool `json:"published" tfsdk:"published"`
		Archived  *bool `json:"archived" tfsdk:"archived"`
		Locked    *bool `json:"locked" tfsdk:"locked"`
	} `json:"state" tfsdk:"state"`
	Schedule *struct {
		PublishedAt *string `json:"publishedAt" tfsdk:"published_at"`
	} `json:"schedule" tfsdk:"schedule"`
	Access *struct {
		URL    *string `json:"url" tfsdk:"url"`
		Domain *string `json:"domain" tfsdk:"domain"`
		Share  *struct {
			Token     *string         `json:"token" tfsdk:"token"`
			RulesJSON *jsonvalue.JSON `json:"rules" tfsdk:"rules_json"`
		} `json:"share" tfsdk:"share"`
	} `json:"access" tfsdk:"access"`
}

// Tenancy has the workspace and the domain that an agent belongs to.
type Tenancy struct {
	WorkspaceRef *string `json:"workspaceRef" tfsdk:"workspace_ref"`
	DomainRef    *string `json:"domainRef" tfsdk:"domain_ref"`
	Workspace    *struct {
		IsSuspended *bool `json:"isSuspended" tfsdk:"is_suspended"`
		IsPastDue   *bool `json:"isPastDue" tfsdk:"is_past_due"`
		Members     []struct {
			UserID *string `json:"userId" tfsdk:"user_id"`
		} `json:"members" tfsdk:"members"`
		CollaboratorsJSON *jsonvalue.JSON `json:"collaborators" tfsdk:"collaborators_json"`
	} `json:"workspace" tfsdk:"workspace"`
}

// Timestamps has the times when an agent was created and last changed.
type Timestamps struct {
	Created *string `json:"created" tfsdk:"created"`
	Updated *string `json:"updated" tfsdk:"updated"`
}

// Taxonomy has the tags.
type Taxonomy struct {
	Tags *struct {
		IDs           []*string       `json:"ids" tfsdk:"ids"`
		RelationsJSON *jsonvalue.JSON `json:"relations" tfsdk:"relations_json"`
	} `json:"tags" tfsdk:"tags"`
}

// Safeguards has the security settings and the risk score.
type Safeguards struct {
	SecurityJSON *jsonvalue.JSON `json:"security" tfsdk:"security_json"`
	RiskScore    *big.Float      `json:"riskScore" tfsdk:"risk_score"`
}

// Telemetry has display settings for the table of session results.
type Telemetry struct {
	Tables *struct {
		Order          []*string       `json:"order" tfsdk:"order"`
		VisibilityJSON *jsonvalue.JSON `json:"visibility" tfsdk:"visibility_json"`
		WidthJSON      *jsonvalue.JSON `json:"width" tfsdk:"width_json"`
	} `json:"tables" tfsdk:"tables"`
}

// Integrations has the integrations.
type Integrations struct {
	Messaging *struct {
		CredentialsRef *string `json:"credentialsRef" tfsdk:"credentials_ref"`
	} `json:"messaging" tfsdk:"messaging"`
}
