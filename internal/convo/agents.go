// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"cmp"
	"context"
	"slices"

	"github.com/convo/terraform-provider-convo/internal/api"
)

// Agents lists the agents of the token's workspace (listAgents), sorted by ID. The API
// accepts query parameters but documents none, so they are sent unchanged.
func (c *Client) Agents(ctx context.Context, parameters map[string]string) (*List[api.AgentSummary], error) {
	var body struct {
		Agents []api.AgentSummary `json:"agents" required:"true"`
		Rest   map[string]any     `json:",embed"`
	}
	response, err := c.send(
		ctx,
		get("listAgents", parameters, "agents"),
		&body,
	)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(body.Agents, func(a, b api.AgentSummary) int {
		return cmp.Compare(api.ValueOf(a.ID), api.ValueOf(b.ID))
	})
	return &List[api.AgentSummary]{body.Agents, response.doubt(len(body.Agents), body.Rest)}, nil
}

// Agent reads the full definition of an agent (getAgent). It returns the response itself, because
// what a definition contains beyond the documented fields matters, too, and because decoding a large
// one takes memory.
func (c *Client) Agent(ctx context.Context, agentID string) (*Response, error) {
	return c.send(ctx, get("getAgent", nil, "agents", agentID), nil)
}

// StatsPeriods are the periods over which getAgentStats reads statistics.
var StatsPeriods = []string{"today", "last7Days", "last30Days", "monthToDate", "lastMonth", "yearToDate", "allTime"}

// AgentStats reads the counters of an agent (getAgentStats). An empty period is not sent.
func (c *Client) AgentStats(ctx context.Context, agentID, period string) (*api.AgentStats, error) {
	query := map[string]string{}
	if period != "" {
		query[c.config.StatsPeriodParameter] = period
	}
	var body struct {
		Stats *api.AgentStats `json:"stats" required:"true"`
	}
	_, err := c.send(
		ctx,
		get("getAgentStats", query, "agents", agentID, "analytics", "stats"),
		&body,
	)
	return body.Stats, err
}
