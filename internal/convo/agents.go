// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"maps"
)

// Agents lists the agents of the token's workspace (specification, "List
// agents"). The API accepts query parameters but documents none, so they are
// sent unchanged.
func (c *Client) Agents(ctx context.Context, parameters map[string]string) (*Response, error) {
	return c.get(ctx, "list agents", parameters, "v1", "agents")
}

// Agent reads the full definition of an agent (specification, "Get agent"). The
// API documents no query parameters; those given are sent unchanged.
func (c *Client) Agent(ctx context.Context, agentID string, parameters map[string]string) (*Response, error) {
	return c.get(ctx, "read agent", parameters, "v1", "agents", agentID)
}

// StatsPeriods are the periods over which statistics can be read
// (specification, "Get agent statistics").
func StatsPeriods() []string {
	return []string{"today", "last7Days", "last30Days", "monthToDate", "lastMonth", "yearToDate", "allTime"}
}

// AgentStats reads the counters of an agent (specification, "Get agent
// statistics"). An empty period is not sent. The API documents no other query
// parameters; those given are sent unchanged. A period replaces the one with the name of
// its parameter.
func (c *Client) AgentStats(ctx context.Context, agentID, period string, parameters map[string]string) (*Response, error) {
	query := map[string]string{}
	maps.Copy(query, parameters)
	if period != "" {
		query[c.config.StatsPeriodParameter] = period
	}
	return c.get(ctx, "read agent statistics", query, "v1", "agents", agentID, "analytics", "stats")
}
