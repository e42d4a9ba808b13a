// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/flow"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
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
	Graph        jsontext.Value    `json:"graph"` // Package json takes longer to skip an unknown value.
}

// maxAgentBytes limits the size of an agent's values, because Terraform accepts no result
// of more than 256 MiB.
const maxAgentBytes = 4 << 20

// readDefinition reads the definition of an agent from a response, and sets the agent's
// attributes that come from it. If it fails, it changes none of them.
func (a *workspaceAudit) readDefinition(response *convo.Response, agent *auditedAgent) error {
	var body struct {
		Agent           *auditedDefinition `json:"agent" required:"true"`
		CurrentUserMode *string            `json:"currentUserMode"`
	}
	if err := response.Decode(&body); err != nil {
		return err
	}
	document, err := jsonvalue.Compact(response.Body)
	if err != nil {
		return err
	}
	digest, err := definition.DigestIn(document, "agent")
	if err != nil {
		return err
	}
	read := *agent
	read.DefinitionHash, read.DefinitionParts, read.ExternalHosts = &digest.Hash, new(digest.Text()), digest.Hosts
	read.CurrentUserMode = body.CurrentUserMode
	read.setDefinition(body.Agent)
	if valueOf(a.model.IncludeVariables) { // Otherwise, they cannot make the read fail.
		var variables struct {
			Agent struct {
				Graph struct {
					Memory []graphVariable `json:"memory"`
				} `json:"graph"`
			} `json:"agent"`
		}
		if err := response.Decode(&variables); err != nil {
			return err
		}
		for _, variable := range variables.Agent.Graph.Memory {
			read.Variables = append(read.Variables, audit.Variable{Name: variable.Name, IsSessionVariable: variable.IsSessionVariable})
		}
	}
	if valueOf(a.model.IncludeGraphFindings) || valueOf(a.model.IncludeVariables) {
		analysis := analysisIn(jsonvalue.New(document))
		if valueOf(a.model.IncludeGraphFindings) {
			read.GraphFindings, read.agentLinks = analysis.Findings, analysis.AgentLinks
		}
		if valueOf(a.model.IncludeVariables) {
			read.UnsetVariables = analysis.Unset
		}
	}
	if len(response.Body) > maxAgentBytes { // The values are rarely longer than the definition.
		values, err := json.Marshal(read)
		if err != nil {
			return err
		}
		if len(values) > maxAgentBytes {
			return fmt.Errorf("an audit keeps at most 4 MiB of each agent, but the values of this agent take %.1f MiB", float64(len(values))/(1<<20))
		}
	}
	*agent = read
	return nil
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
		agent.IsShared, agent.ShareRules = new(valueOf(share.Token) != ""), (*string)(share.RulesJSON)
	}
	agent.refKey = valueOf(d.Ref.Key)
	agent.Revision, agent.Labels = d.Ref.Revision, d.Profile.Labels
	agent.RiskScore, agent.Security = d.Safeguards.RiskScore, (*string)(d.Safeguards.SecurityJSON)
	agent.WorkspaceRef = d.Tenancy.WorkspaceRef
	agent.CredentialsRef = valueOf(d.Integrations.Messaging).CredentialsRef
	agent.Collaborators = (*string)(valueOf(d.Tenancy.Workspace).CollaboratorsJSON)

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

// analysisIn analyzes the definition of an API response.
func analysisIn(document jsonvalue.Value) flow.Analysis {
	analysis, err := flow.AnalysisIn(document, "agent")
	if err != nil {
		analysis.Findings = []flow.Finding{{Kind: flow.GraphNotUnderstood, IDs: []string{}, Message: "The graph cannot be analyzed: " + err.Error() + "."}}
	}
	return analysis
}
