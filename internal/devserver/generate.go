// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"encoding/json"
	"fmt"
	"time"
)

// firstWorkspaceID is the workspace of the default seed that generated agents belong to.
const firstWorkspaceID = "ws_larkspur01"

// ManyAgents returns the default seed with n generated agents instead of its agents and sessions, for benchmarks. The
// summaries are about 400 bytes each. The definitions are those of [LargeAgent], with 10 to 21 nodes and 6 to 12 KiB
// each. The list is in descending order of ID. Equal n give equal seeds.
func ManyAgents(n int) Seed {
	n = max(n, 0)
	seed := DefaultSeed()
	seed.Sessions = nil
	seed.Agents = make([]Agent, 0, n)
	for i := n - 1; i >= 0; i-- {
		seed.Agents = append(seed.Agents, generateAgent(i, fmt.Sprintf("agt_gen%06d", i), (9+i%11)<<9))
	}
	return seed
}

// LargeAgent returns a generated agent of the first default workspace whose definition has at least size bytes, for
// benchmarks. The size grows with the number of nodes, links, variables and annotations. The graph has no findings:
// every node is reachable, every link leads to a node, and every variable is used. Equal arguments give equal agents.
func LargeAgent(id string, size int) Agent {
	size = max(size, 0)
	return generateAgent(size, id, size)
}

func generateAgent(n int, id string, size int) Agent {
	var (
		title       = fmt.Sprintf("%s %s %d", word(n), word(n+5), n)
		description = sentence(n, 8+n%12)
		publicID    = fmt.Sprintf("%s-%04x", id, n*40503%65536)
		created     = referenceTime().AddDate(0, 0, -30-n%700)
		updated     = created.AddDate(0, 0, n%30)
		published   = n%4 != 3
	)

	var icon, url, publishedAt, domain any
	if n%3 != 0 {
		icon = "🚲"
	}
	if published {
		url = "https://chat.larkspur-bicycles.example/" + publicID
		publishedAt = timestamp(updated)
		domain = fmt.Sprintf("dom_%02d", n%17)
	}
	tags := []string{"tag_" + word(n), "tag_" + word(n+1), "tag_" + word(n+2)}[:n%4]

	return Agent{
		ID:          id,
		WorkspaceID: firstWorkspaceID,
		Summary: document(map[string]any{
			"id":          id,
			"name":        title,
			"icon":        icon,
			"description": description,
			"url":         url,
			"publicId":    publicID,
			"isPublished": published,
			"publishedAt": publishedAt,
			"domainId":    domain,
			"tags":        tags,
			"createdAt":   timestamp(created),
			"updatedAt":   timestamp(updated),
		}),
		Definition: document(map[string]any{
			"ref":     map[string]any{"key": id, "revision": fmt.Sprint(1 + n%90), "publicKey": publicID},
			"profile": map[string]any{"title": title, "summary": description, "icon": icon, "labels": tags},
			"graph":   generateGraph(n, size),
			"canvas": map[string]any{
				"appearance":  map[string]any{"general": map[string]any{"font": word(n)}},
				"annotations": generateAnnotations(n, size),
				"presetId":    nil,
			},
			"execution": map[string]any{"rules": map[string]any{"timeouts": []int{30, 60}}, "simulation": nil},
			"exposure": map[string]any{
				"state":    map[string]any{"published": published, "archived": n%13 == 0, "locked": n%7 == 0},
				"schedule": map[string]any{"publishedAt": publishedAt},
				"access":   map[string]any{"url": url, "domain": nil, "share": map[string]any{"rules": nil}},
			},
			"tenancy":    map[string]any{"workspaceRef": firstWorkspaceID, "domainRef": domain},
			"timestamps": map[string]any{"created": timestamp(created), "updated": timestamp(updated)},
			"taxonomy":   map[string]any{"tags": map[string]any{"ids": tags, "relations": []any{}}},
			"safeguards": map[string]any{"security": nil, "riskScore": float64(n%400) / 4},
		}),
		Daily: generateDaily(n),
	}
}

// generateGraph adds nodes, each with the link that leads to it and every fourth one with a variable, until they have
// size bytes.
func generateGraph(n, size int) map[string]any {
	nodes, links, memory := []json.RawMessage{}, []json.RawMessage{}, []any{}
	for i, total := 0, 0; i == 0 || total < size; i++ {
		node, link := generateNode(n, i), generateLink(i)
		nodes, links = append(nodes, node), append(links, link)
		total += len(node) + len(link)

		if i%4 == 0 {
			memory = append(memory, map[string]any{
				"id":                fmt.Sprintf("var_%d", i/4),
				"name":              word(n + i),
				"isSessionVariable": i%8 == 0,
				"value":             sentence(n+i, i%5),
			})
		}
	}

	return map[string]any{
		"links":  links,
		"nodes":  nodes,
		"memory": memory,
		"entrypoints": []any{map[string]any{
			"id":               "ent_start",
			"graphCoordinates": map[string]any{"x": -480, "y": 0},
			"type":             "start",
			"outgoingEdgeId":   "lnk_0",
		}},
	}
}

func generateNode(n, i int) json.RawMessage {
	return document(map[string]any{
		"id":               fmt.Sprintf("grp_%d", i),
		"title":            sentence(n+i, 2),
		"graphCoordinates": map[string]any{"x": float64(i%20)*360 - 120.5, "y": i / 20 * 240},
		"blocks": []any{
			map[string]any{"id": fmt.Sprintf("blk_%d", i), "type": "text", "content": map[string]any{
				"richText": []any{map[string]any{"type": "p", "children": []any{
					map[string]any{"text": sentence(n+i, 4+i%9), "bold": i%2 == 0},
				}}},
			}},
			map[string]any{"type": "condition", "items": []any{map[string]any{"id": fmt.Sprintf("itm_%d", i), "content": map[string]any{
				"comparisons": []any{map[string]any{"variableId": fmt.Sprintf("var_%d", i/4), "value": nil}},
			}}}},
		},
	})
}

// generateLink makes the link that leads to a node from the one before it, or from the entry point.
func generateLink(i int) json.RawMessage {
	from := map[string]any{"blockId": "ent_start", "itemId": nil}
	if i > 0 {
		from = map[string]any{"blockId": fmt.Sprintf("blk_%d", i-1), "itemId": fmt.Sprintf("itm_%d", i-1)}
	}
	return document(map[string]any{
		"id":   fmt.Sprintf("lnk_%d", i),
		"from": from,
		"to":   map[string]any{"groupId": fmt.Sprintf("grp_%d", i), "blockId": fmt.Sprintf("blk_%d", i)},
	})
}

// generateAnnotations makes one sticky note for each 4 KiB.
func generateAnnotations(n, size int) []any {
	notes := []any{}
	for i := range size >> 12 {
		notes = append(notes, map[string]any{
			"id":      fmt.Sprintf("ann_%d", i),
			"type":    "stickyNote",
			"content": sentence(n+i, 6),
			"x":       float64(i) * 90.5,
			"y":       -200,
			"width":   200,
			"height":  120,
			"color":   "yellow",
			"zIndex":  i,
		})
	}
	return notes
}

func generateDaily(n int) []DailyCount {
	var daily []DailyCount
	for i := range 1 + n%20 {
		views := int64((n*31 + i*17) % 500)
		daily = append(daily, DailyCount{
			Day:       referenceTime().AddDate(0, 0, -3*i).Format(time.DateOnly),
			Views:     views,
			Starts:    views / 2,
			Completed: views / 5,
		})
	}
	return daily
}

// word picks one of a few words, some of them outside ASCII.
func word(n int) string {
	words := [...]string{
		"saddle", "Lenker", "größe", "spoke", "freewheel", "課題", "pedal",
		"courier", "naïve", "warranty", "🚲", "chain", "tyre",
	}
	return words[n%len(words)]
}

// sentence joins n words, which depend on the seed.
func sentence(seed, n int) string {
	text := ""
	for i := range n {
		text += word(seed*7+i*i+3*i) + " "
	}
	return text + "&c."
}

func document(value any) json.RawMessage { return must(encode(value)) }

// timestamp formats an instant like those in the seed; the API does not document the format.
func timestamp(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
