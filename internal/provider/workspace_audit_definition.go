// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/convo/terraform-provider-convo/internal/flow"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// auditedDefinition has the parts of "Agent (full definition)" in the API that an
// audit reads.
type auditedDefinition struct {
	Ref     agentRef     `json:"ref"`
	Profile agentProfile `json:"profile"`
	Graph   struct {
		Memory []agentVariable `json:"memory"`
	} `json:"graph"`
	Exposure   agentExposure   `json:"exposure"`
	Tenancy    agentTenancy    `json:"tenancy"`
	Timestamps agentTimestamps `json:"timestamps"`
	Taxonomy   agentTaxonomy   `json:"taxonomy"`
	Safeguards agentSafeguards `json:"safeguards"`
}

// readDefinition reads the definition of an agent, and sets the agent's attributes
// that come from it.
func (a *workspaceAudit) readDefinition(ctx context.Context, agent *auditedAgent) (caveats, error) {
	response, err := a.client.Agent(ctx, *agent.ID, nil)
	if err != nil {
		return caveats{}, err
	}
	var body struct {
		Agent           *auditedDefinition `json:"agent" required:"true"`
		CurrentUserMode *string            `json:"currentUserMode"`
	}
	if err := response.Decode(&body); err != nil {
		return caveats{}, err
	}
	var whole struct {
		Agent jsontext.Value `json:"agent"`
	}
	if err := response.Decode(&whole); err != nil {
		return caveats{}, err
	}
	// The hash omits the parts that can change without an edit. auditedAgent has its
	// own attributes for those that matter.
	hash, err := jsonvalue.Hash(whole.Agent, "ref", "exposure", "tenancy", "timestamps", "safeguards", "telemetry")
	if err != nil {
		return caveats{}, err
	}
	agent.DefinitionHash, agent.CurrentUserMode = &hash, body.CurrentUserMode
	agent.setDefinition(body.Agent)
	if valueOf(a.model.IncludeVariables) {
		agent.Variables = body.Agent.Graph.Memory
	}
	if valueOf(a.model.IncludeGraphFindings) {
		agent.GraphFindings = graphFindingsIn(response.Body)
	}
	return missingUserMode(body.CurrentUserMode), nil
}

// setDefinition sets the attributes that come from the definition. Of those that
// the list also has, only is_published takes the definition's value first.
func (agent *auditedAgent) setDefinition(definition *auditedDefinition) {
	state, access := valueOf(definition.Exposure.State), valueOf(definition.Exposure.Access)
	listed := agent.IsPublished
	agent.isContradictory = listed != nil && state.Published != nil && *listed != *state.Published
	agent.IsPublished = cmp.Or(state.Published, listed)
	agent.IsArchived, agent.IsLocked = state.Archived, state.Locked
	agent.Domain = access.Domain
	if definition.Exposure.Access != nil {
		share := valueOf(access.Share)
		agent.IsShared, agent.ShareRulesJSON = new(valueOf(share.Token) != ""), share.RulesJSON
	}
	agent.Revision, agent.Labels = definition.Ref.Revision, definition.Profile.Labels
	agent.RiskScore, agent.SecurityJSON = definition.Safeguards.RiskScore, definition.Safeguards.SecurityJSON
	agent.WorkspaceRef = definition.Tenancy.WorkspaceRef
	agent.CollaboratorsJSON = valueOf(definition.Tenancy.Workspace).CollaboratorsJSON

	agent.Name = cmp.Or(agent.Name, definition.Profile.Title)
	agent.Icon = cmp.Or(agent.Icon, definition.Profile.Icon)
	agent.Description = cmp.Or(agent.Description, definition.Profile.Summary)
	agent.URL = cmp.Or(agent.URL, access.URL)
	agent.DomainID = cmp.Or(agent.DomainID, definition.Tenancy.DomainRef)
	agent.PublicID = cmp.Or(agent.PublicID, definition.Ref.PublicKey)
	agent.PublishedAt = cmp.Or(agent.PublishedAt, valueOf(definition.Exposure.Schedule).PublishedAt)
	agent.CreatedAt = cmp.Or(agent.CreatedAt, definition.Timestamps.Created)
	agent.UpdatedAt = cmp.Or(agent.UpdatedAt, definition.Timestamps.Updated)
	if agent.Tags == nil {
		agent.Tags = valueOf(definition.Taxonomy.Tags).IDs
	}
}

// graphFindingsIn returns the findings in the definition of an API response.
func graphFindingsIn(body []byte) []flow.Finding {
	findings, err := flow.FindingsIn(body, "agent")
	if err != nil {
		return []flow.Finding{{Kind: flow.GraphNotUnderstood, IDs: []string{}, Message: "The graph cannot be analyzed: " + err.Error() + "."}}
	}
	return findings
}
