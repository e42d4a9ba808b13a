// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"maps"
	"math/big"
)

// AgentSummary is "Agent summary" in the API (specification, "List agents"), which does
// not document which fields can be null: all can be here.
type AgentSummary struct {
	ID          *string   `json:"id"`
	Name        *string   `json:"name"`
	Icon        *string   `json:"icon"`
	Description *string   `json:"description"`
	URL         *string   `json:"url"`
	PublicID    *string   `json:"publicId"`
	IsPublished *bool     `json:"isPublished"`
	PublishedAt *string   `json:"publishedAt"`
	DomainID    *string   `json:"domainId"`
	Tags        []*string `json:"tags"`
	CreatedAt   *string   `json:"createdAt"`
	UpdatedAt   *string   `json:"updatedAt"`
}

// Agents lists the agents of the token's workspace (specification, "List
// agents"). The API accepts query parameters but documents none, so they are
// sent unchanged.
func (c *Client) Agents(ctx context.Context, parameters map[string]string) (List[AgentSummary], error) {
	var list List[AgentSummary]
	err := c.read(ctx, "list agents", parameters, func(response *Response) error {
		var body struct {
			Agents []AgentSummary `json:"agents" required:"true"`
			Rest   map[string]any `json:",embed"`
		}
		if err := response.Decode(&body); err != nil {
			return err
		}
		list = List[AgentSummary]{body.Agents, response.signsOfMore(len(body.Agents), body.Rest)}
		return nil
	}, "v1", "agents")
	return list, err
}

// Agent reads the full definition of an agent (specification, "Get agent"). It passes on
// the response itself, because what a definition contains beyond the documented fields
// matters, too. The API documents no query parameters; those given are sent unchanged.
//
// Only one large response is in memory at a time, until use returns. Therefore, use must
// not wait for other requests.
func (c *Client) Agent(ctx context.Context, agentID string, parameters map[string]string, use func(*Response) error) error {
	return c.read(ctx, "read agent", parameters, use, "v1", "agents", agentID)
}

// StatsPeriods are the periods over which statistics can be read
// (specification, "Get agent statistics").
func StatsPeriods() []string {
	return []string{"today", "last7Days", "last30Days", "monthToDate", "lastMonth", "yearToDate", "allTime"}
}

// AgentStats is "Agent statistics" in the API (specification, "Get agent statistics"). A
// counter is nil if the service does not send it.
type AgentStats struct {
	TotalViews     *big.Float `json:"totalViews" required:"true"`
	TotalStarts    *big.Float `json:"totalStarts" required:"true"`
	TotalCompleted *big.Float `json:"totalCompleted" required:"true"`
}

// AgentStats reads the counters of an agent (specification, "Get agent
// statistics"). An empty period is not sent. The API documents no other query
// parameters; those given are sent unchanged. A period replaces the one with the name of
// its parameter.
func (c *Client) AgentStats(ctx context.Context, agentID, period string, parameters map[string]string) (*AgentStats, error) {
	query := map[string]string{}
	maps.Copy(query, parameters)
	if period != "" {
		query[c.config.StatsPeriodParameter] = period
	}
	var body struct {
		Stats *AgentStats `json:"stats" required:"true"`
	}
	err := c.read(ctx, "read agent statistics", query, func(r *Response) error { return r.Decode(&body) }, "v1", "agents", agentID, "analytics", "stats")
	return body.Stats, err
}
