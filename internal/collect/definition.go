// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package collect

import (
	"cmp"
	"context"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/flow"
)

// largeDefinition is the number of bytes from which definitions are decoded one by one,
// because that takes up to 100 times as much memory.
const largeDefinition = 1 << 20

// agent is an agent while it is read.
type agent struct {
	audit.Agent

	refKey     string                    // the definition's ref.key, or ""
	agentLinks map[flow.AgentLink]string // can lead to other agents
	statsError error                     // after its retries, so that the other periods are not requested
}

// newAgent returns what the list contains of an agent.
func newAgent(s api.AgentSummary, periods []string) *agent {
	stats := map[string]audit.Stats{}
	for _, period := range periods {
		stats[period] = audit.Stats{}
	}
	return &agent{Agent: audit.Agent{AgentSummary: s, Stats: stats}}
}

// readDefinition reads the definition of an agent, and sets the agent's values that come
// from it: from its settings, which have documented types, and from the tree of all of it. If
// it fails, it changes none of them.
func (c *collector) readDefinition(ctx context.Context, a *agent) error {
	response, err := c.client.Agent(ctx, *a.ID)
	if err != nil {
		return err
	}
	if len(response.Body) > largeDefinition {
		c.large.Lock()
		defer c.large.Unlock()
	}
	var body struct {
		Agent           *api.AgentSettings `json:"agent" required:"true"`
		CurrentUserMode *string            `json:"currentUserMode"`
	}
	if err := response.Decode(&body); err != nil {
		return err
	}
	parsed, err := definition.InResponse(response.Body)
	if err != nil {
		return err
	}
	if state := api.ValueOf(api.ValueOf(body.Agent.Exposure).State); a.IsPublished != nil && state.Published != nil && *a.IsPublished != *state.Published {
		c.addProblem(audit.Contradiction, *a.ID, audit.ListAgents,
			"The list and the definition disagree about whether the agent is published. "+
				"The attribute is_published has the definition's value.")
	}
	a.setFields(*body.Agent)
	a.CurrentUserMode = body.CurrentUserMode
	c.setComputed(a, parsed)
	if a.CurrentUserMode == nil {
		c.addMissingFields(*a.ID, audit.ReadAgent, []string{"currentUserMode"})
	}
	return nil
}

// setComputed sets the values that are computed from a definition.
func (c *collector) setComputed(a *agent, parsed definition.Definition) {
	digest := parsed.Digest()
	// A pointer into the digest would keep all of it in memory.
	a.DefinitionHash = new(digest.Hash)
	a.DefinitionParts = new(digest.Parts.JSON())
	a.ExternalHosts = digest.Hosts
	if api.ValueOf(c.audit.IncludeGraphFindings) {
		analysis := flow.Analyze(parsed)
		a.GraphFindings = analysis.Findings
		a.agentLinks = analysis.AgentLinks
	}
}

// setFields sets the values that a definition has in single fields. Of those that the list
// also has, only is_published takes the definition's value first.
func (a *agent) setFields(d api.AgentSettings) {
	ref := api.ValueOf(d.Ref)
	profile := api.ValueOf(d.Profile)
	tenancy := api.ValueOf(d.Tenancy)
	timestamps := api.ValueOf(d.Timestamps)
	safeguards := api.ValueOf(d.Safeguards)
	exposure := api.ValueOf(d.Exposure)
	state := api.ValueOf(exposure.State)
	access := api.ValueOf(exposure.Access)
	a.IsPublished = cmp.Or(state.Published, a.IsPublished)
	a.IsArchived = state.Archived
	a.IsLocked = state.Locked
	a.Domain = access.Domain
	if share := access.Share; share != nil {
		a.IsShared = new(api.ValueOf(share.Token) != "")
		a.ShareRules = (*string)(share.RulesJSON)
	}
	a.refKey = api.ValueOf(ref.Key)
	a.Revision = ref.Revision
	a.Labels = profile.Labels
	a.RiskScore = safeguards.RiskScore
	a.Security = (*string)(safeguards.SecurityJSON)
	a.WorkspaceRef = tenancy.WorkspaceRef
	a.Collaborators = (*string)(api.ValueOf(tenancy.Workspace).CollaboratorsJSON)
	a.CredentialsRef = api.ValueOf(api.ValueOf(d.Integrations).Messaging).CredentialsRef

	a.Name = cmp.Or(a.Name, profile.Title)
	a.Icon = cmp.Or(a.Icon, profile.Icon)
	a.Description = cmp.Or(a.Description, profile.Summary)
	a.URL = cmp.Or(a.URL, access.URL)
	a.DomainID = cmp.Or(a.DomainID, tenancy.DomainRef)
	a.PublicID = cmp.Or(a.PublicID, ref.PublicKey)
	a.PublishedAt = cmp.Or(a.PublishedAt, api.ValueOf(exposure.Schedule).PublishedAt)
	a.CreatedAt = cmp.Or(a.CreatedAt, timestamps.Created)
	a.UpdatedAt = cmp.Or(a.UpdatedAt, timestamps.Updated)
	if a.Tags == nil {
		a.Tags = api.ValueOf(api.ValueOf(d.Taxonomy).Tags).IDs
	}
}
