// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/flow"
)

// auditedDefinition has the parts of "Agent (full definition)" in the API that an
// audit reads.
type auditedDefinition struct {
	Ref          agentRef          `json:"ref"`
	Profile      agentProfile      `json:"profile"`
	Exposure     agentExposure     `json:"exposure"`
	Tenancy      agentTenancy      `json:"tenancy"`
	Timestamps   agentTimestamps   `json:"timestamps"`
	Taxonomy     agentTaxonomy     `json:"taxonomy"`
	Safeguards   agentSafeguards   `json:"safeguards"`
	Integrations agentIntegrations `json:"integrations"`
}

// readDefinition reads the definition of an agent, and sets the agent's attributes
// that come from it.
func (a *workspaceAudit) readDefinition(ctx context.Context, client *convo.Client, agent *auditedAgent) (caveats, error) {
	response, err := client.Agent(ctx, *agent.ID, nil)
	if err != nil {
		return caveats{}, err
	}
	defer response.Close()
	var body struct {
		Agent           *auditedDefinition `json:"agent" required:"true"`
		CurrentUserMode *string            `json:"currentUserMode"`
	}
	if err := response.Decode(&body); err != nil {
		return caveats{}, err
	}
	digest, err := definition.DigestIn(response.Body, "agent")
	if err != nil {
		return caveats{}, err
	}
	agent.DefinitionHash, agent.DefinitionParts, agent.ExternalHosts = &digest.Hash, new(digest.Text()), digest.Hosts
	agent.CurrentUserMode = body.CurrentUserMode
	agent.setDefinition(body.Agent)
	if valueOf(a.model.IncludeVariables) { // Otherwise, they cannot make the read fail.
		var variables struct {
			Agent struct {
				Graph struct {
					Memory []agentVariable `json:"memory"`
				} `json:"graph"`
			} `json:"agent"`
		}
		if err := response.Decode(&variables); err != nil {
			return caveats{}, err
		}
		agent.Variables = variables.Agent.Graph.Memory
	}
	if valueOf(a.model.IncludeGraphFindings) {
		agent.GraphFindings = graphFindingsIn(response.Body)
	}
	return missingUserMode(body.CurrentUserMode), nil
}

// setDefinition sets the attributes that come from the definition. Of those that
// the list also has, only is_published takes the definition's value first.
func (agent *auditedAgent) setDefinition(d *auditedDefinition) {
	state, access := valueOf(d.Exposure.State), valueOf(d.Exposure.Access)
	listed := agent.IsPublished
	agent.isContradictory = listed != nil && state.Published != nil && *listed != *state.Published
	agent.IsPublished = cmp.Or(state.Published, listed)
	agent.IsArchived, agent.IsLocked = state.Archived, state.Locked
	agent.Domain = access.Domain
	if share := access.Share; share != nil {
		agent.IsShared, agent.ShareRulesJSON = new(valueOf(share.Token) != ""), share.RulesJSON
	}
	agent.refKey = valueOf(d.Ref.Key)
	agent.Revision, agent.Labels = d.Ref.Revision, d.Profile.Labels
	agent.RiskScore, agent.SecurityJSON = d.Safeguards.RiskScore, d.Safeguards.SecurityJSON
	agent.WorkspaceRef = d.Tenancy.WorkspaceRef
	agent.CredentialsRef = valueOf(d.Integrations.Messaging).CredentialsRef
	agent.CollaboratorsJSON = valueOf(d.Tenancy.Workspace).CollaboratorsJSON

	agent.Name = cmp.Or(agent.Name, d.Profile.Title)
	agent.Icon = cmp.Or(agent.Icon, d.Profile.Icon)
	agent.Description = cmp.Or(agent.Description, d.Profile.Summary)
	agent.URL = cmp.Or(agent.URL, access.URL)
	agent.DomainID = cmp.Or(agent.DomainID, d.Tenancy.DomainRef)
	agent.PublicID = cmp.Or(agent.PublicID, d.Ref.PublicKey)
	agent.PublishedAt = cmp.Or(agent.PublishedAt, valueOf(d.Exposure.Schedule).PublishedAt)
	agent.CreatedAt = cmp.Or(agent.CreatedAt, d.Timestamps.Created)
	agent.UpdatedAt = cmp.Or(agent.UpdatedAt, d.Timestamps.Updated)
	if agent.Tags == nil {
		agent.Tags = valueOf(d.Taxonomy.Tags).IDs
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
