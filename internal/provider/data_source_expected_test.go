// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import "maps"

// What the data sources return for the default seed of the development server,
// without the arguments. All of it is written by hand from the seed's documents.

// expectedWorkspace is the workspace with the slug "larkspur", read by it.
func expectedWorkspace() object {
	return object{
		"id":                  "ws_larkspur01",
		"created_at":          "2023-04-11T08:15:27.412Z",
		"updated_at":          "2026-03-17T16:42:05.003Z",
		"last_activity_at":    "2026-03-18T09:12:44.870Z",
		"name":                "Larkspur Bicycles",
		"icon":                "https://cdn.larkspur-bicycles.example/brand/icon-128.png",
		"slug":                "larkspur",
		"plan":                "PRO",
		"payments_id":         "cus_Lk7Qd2Wm9x",
		"is_quarantined":      false,
		"is_suspended":        false,
		"is_past_due":         true,
		"is_verified":         true,
		"billing_cycle_start": number("11"),
		"payment_failed_at":   "2026-03-11T00:04:19.000Z",
		"payments_connect_id": "acct_1Kf0Zt8Lrk",
		"chat_usage":          number("1843.5"),
		"redeemed_coupons":    "WELCOME-2023, SPRING-2024",
		"extras":              list{"custom-domain", "white-label"},
		"addons":              list{"extra-seats-5", "messaging-chats-500"},
	}
}

// expectedSparseWorkspace has null wherever the API allows it.
func expectedSparseWorkspace() object {
	return object{
		"id":                  "ws_tidepool02",
		"created_at":          "2026-02-27T19:03:58.120Z",
		"updated_at":          "2026-02-27T19:03:58.120Z",
		"last_activity_at":    "2026-02-27T19:03:58.120Z",
		"name":                "Tidepool Studio",
		"icon":                nil,
		"slug":                nil,
		"plan":                "FREE",
		"payments_id":         nil,
		"is_quarantined":      false,
		"is_suspended":        false,
		"is_past_due":         false,
		"is_verified":         nil,
		"billing_cycle_start": nil,
		"payment_failed_at":   nil,
		"payments_connect_id": nil,
		"chat_usage":          number("0"),
		"redeemed_coupons":    nil,
		"extras":              list{},
		"addons":              list{},
	}
}

// expectedMembers are sorted by email address.
func expectedMembers() object {
	member := func(name, email, image, role string) object {
		return object{
			"workspace_id": "ws_larkspur01",
			"user":         object{"name": name, "email": email, "image": image},
			"role":         role,
		}
	}
	const people = "https://cdn.larkspur-bicycles.example/people/"
	return object{
		"members": list{
			member("Adaeze Nwosu", "adaeze@larkspur-bicycles.example", people+"adaeze.jpg", "ADMIN"),
			member("Beatriz Conceição", "beatriz@larkspur-bicycles.example", people+"beatriz.jpg", "MEMBER"),
			member("山田 花子", "hanako@larkspur-bicycles.example", people+"hanako.jpg", "MEMBER"),
			member("Ilija Đorđević", "ilija@larkspur-bicycles.example", people+"ilija.jpg", "BILLING"),
			member("Mirela Oancea", "mirela@larkspur-bicycles.example", people+"mirela.jpg", "MEMBER"),
			member("Søren Ågaard", "soren@larkspur-bicycles.example", people+"soren.jpg", "ADMIN"),
			member("Workshop tablet", "workshop@larkspur-bicycles.example", "", "GUEST"),
			member("Zoë O’Dowd", "zoe@oddspoke-agency.example", "https://oddspoke-agency.example/zoe.png", "GUEST"),
		},
		"emails_by_role": object{
			"ADMIN":   list{"adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"},
			"BILLING": list{"ilija@larkspur-bicycles.example"},
			"GUEST":   list{"workshop@larkspur-bicycles.example", "zoe@oddspoke-agency.example"},
			"MEMBER": list{
				"beatriz@larkspur-bicycles.example", "hanako@larkspur-bicycles.example", "mirela@larkspur-bicycles.example",
			},
		},
	}
}

// expectedAgentIDs are the agents of the list, in its order.
func expectedAgentIDs() []string {
	return []string{
		"agt_bikefit", "agt_jobs", "agt_kiosk", "agt_lost_found", "agt_orders", "agt_returns",
		"agt_scratch", "agt_survey", "agt_trade", "agt_warranty", "agt_winter_sale", "agt_workshop",
	}
}

// expectedAgents is the whole list, sorted by ID.
func expectedAgents() object {
	agent := func(id, name string, icon, description, url, publicID any, isPublished bool, publishedAt, domainID any, tags list, createdAt, updatedAt string) object {
		return object{
			"id": id, "name": name, "icon": icon, "description": description, "url": url, "public_id": publicID, "is_published": isPublished,
			"published_at": publishedAt, "domain_id": domainID, "tags": tags, "created_at": createdAt, "updated_at": updatedAt,
		}
	}
	return object{"agents": list{
		agent("agt_bikefit", "Frame size finder", "📐", nil, nil, nil, false, nil, nil,
			list{}, "2026-03-10T07:58:00.000Z", "2026-03-18T08:47:19.664Z"),
		agent("agt_jobs", "Careers", "👋", "Answers questions about open positions and collects applications.",
			"https://jobs.larkspur-bicycles.example/chat", "careers-tt41", true, "2024-10-07T07:30:00.000Z", "dom_jobs",
			list{"tag_people"}, "2024-09-30T16:02:47.305Z", "2025-06-18T10:44:00.000Z"),
		agent("agt_kiosk", "Shop kiosk – Größenberatung", "🖥️", "Runs on the tablet beside the counter.",
			"https://kiosk.larkspur-bicycles.example/", "shop-kiosk-e4w3", true, "2026-01-05T07:00:00.000Z", "dom_kiosk",
			list{"tag_de", "tag_shop"}, "2025-12-19T15:00:00.000Z", "2026-03-09T11:11:11.000Z"),
		agent("agt_lost_found", "Lost & found", nil, "Replaced by the order status agent.",
			nil, "lost-found-a1l7", false, "2023-07-21T09:00:00.000Z", nil,
			list{}, "2023-07-19T18:25:43.511Z", "2024-12-31T23:59:59.999Z"),
		agent("agt_orders", "Order status", "https://cdn.larkspur-bicycles.example/brand/parcel.svg", "Looks up an order by number and postcode.",
			"https://chat.larkspur-bicycles.example/orders", "order-status-2hv9", true, "2025-11-20T09:00:00.000Z", "dom_chat",
			list{"tag_service"}, "2023-05-04T10:10:10.000Z", "2025-11-20T08:59:41.932Z"),
		expectedFullSummary(),
		expectedSparseSummary(),
		agent("agt_survey", "After-sale survey", nil, "Four questions, two weeks after a purchase. Taken offline while the questions are rewritten.",
			nil, "after-sale-survey-m3zd", false, "2025-09-01T06:00:00.000Z", nil,
			list{"tag_marketing"}, "2025-08-20T11:31:54.700Z", "2026-01-29T15:15:15.000Z"),
		agent("agt_trade", "Trade desk", nil, "Price lists and minimum quantities for dealers. Locked: the finance team owns the prices.",
			"https://trade.larkspur-bicycles.example/", "trade-desk-9c5e", true, "2025-02-14T12:00:00.000Z", "dom_trade",
			list{"tag_dealers", "tag_en"}, "2025-01-08T08:08:08.008Z", "2026-02-28T17:30:02.140Z"),
		agent("agt_warranty", "Warranty claims (draft)", "", "Not finished: the photo upload is missing.",
			nil, "warranty-claims-draft-u6bn", false, nil, nil,
			list{"tag_service"}, "2026-02-03T14:20:00.000Z", "2026-03-05T09:09:09.090Z"),
		agent("agt_winter_sale", "Winter sale 2025", "❄️", "Campaign agent of the winter sale, kept for its numbers.",
			"https://sale.larkspur-bicycles.example/", "winter-sale-2025-p0aa", false, "2025-12-01T05:00:00.000Z", "dom_sale",
			list{"tag_marketing", "tag_seasonal"}, "2025-11-03T12:00:00.000Z", "2026-01-12T09:22:38.011Z"),
		agent("agt_workshop", "Workshop booking", "🔧", "Finds a free slot in the workshop and takes down what is wrong with the bike.",
			"https://chat.larkspur-bicycles.example/workshop", "workshop-booking-7fk2", true, "2026-03-02T10:20:00.000Z", "dom_chat",
			list{"tag_service", "tag_de"}, "2024-01-15T09:00:12.000Z", "2026-03-16T14:08:31.250Z"),
	}}
}

// expectedFullSummary is the agent of the list with the index 5.
func expectedFullSummary() object {
	return object{
		"id":           "agt_returns",
		"name":         "Returns & refunds",
		"icon":         "📦",
		"description":  "Walks a customer through returning a bike, a part or a <b>wrong size</b>, and books the courier.",
		"url":          "https://chat.larkspur-bicycles.example/returns",
		"public_id":    "returns-refunds-x81q",
		"is_published": true,
		"published_at": "2026-03-12T08:30:00.000Z",
		"domain_id":    "dom_chat",
		"tags":         list{"tag_service", "tag_en", "tag_seasonal"},
		"created_at":   "2023-06-02T13:45:09.118Z",
		"updated_at":   "2026-03-17T16:42:05.003Z",
	}
}

// expectedSparseSummary is the agent of the list with the index 6.
func expectedSparseSummary() object {
	return object{
		"id":           "agt_scratch",
		"name":         "",
		"icon":         nil,
		"description":  "",
		"url":          nil,
		"public_id":    nil,
		"is_published": false,
		"published_at": nil,
		"domain_id":    nil,
		"tags":         list{},
		"created_at":   "2026-03-18T08:59:59.999Z",
		"updated_at":   nil,
	}
}

// expectedFullAgent has a value in every attribute.
func expectedFullAgent() object {
	return object{
		"definition_json":   nil,
		"current_user_mode": "write",
		"ref":               object{"key": "agt_returns", "revision": "42", "public_key": "returns-refunds-x81q"},
		"profile": object{
			"title":   "Returns & refunds",
			"summary": "Walks a customer through returning a bike, a part or a <b>wrong size</b>, and books the courier.",
			"icon":    "📦",
			"labels":  list{"service", "returns", "größe"},
		},
		"graph": object{
			"links": list{
				object{
					"id":   "lnk_start",
					"from": object{"block_id": "blk_start", "item_id": "itm_start"},
					"to":   object{"group_id": "grp_welcome", "block_id": "blk_hello"},
				},
				object{
					"id":   "lnk_wrong_size",
					"from": object{"block_id": "blk_reason", "item_id": "itm_wrong_size"},
					"to":   object{"group_id": "grp_exchange", "block_id": "blk_sizes"},
				},
				object{
					"id":   "lnk_damaged",
					"from": object{"block_id": "blk_reason", "item_id": "itm_damaged"},
					"to":   object{"group_id": "grp_refund", "block_id": "blk_photo"},
				},
			},
			"nodes_json": `[` +
				`{"blocks":[` +
				`{"content":{"richText":[` +
				`{"children":[{"text":"Hello 👋 <b>& welcome</b>, {{customerName}}!"}],"type":"p"},` +
				`{"children":[{"bold":true,"text":"𝔏arkspur — Zürich · 東京 · 𠮷野家"}],"type":"p"}]},` +
				`"id":"blk_hello","type":"text"},` +
				`{"id":"blk_reason","items":[` +
				`{"content":"Wrong size","id":"itm_wrong_size","outgoingEdgeId":"lnk_wrong_size"},` +
				`{"content":"Damaged \"on arrival\"\tor\\and late\n","id":"itm_damaged","outgoingEdgeId":"lnk_damaged"}],` +
				`"options":{"buttonLabel":null,"isMultipleChoice":false,"variableId":"var_reason"},"type":"choice input"}],` +
				`"graphCoordinates":{"x":-120.5,"y":1e3},"id":"grp_welcome","title":"Welcome"},` +
				`{"Middle":3,"alpha":2,"blocks":[],"escaped":"<script>&\u2028","id":"grp_exchange","note":null,` +
				`"numbers":{"beyondDouble":9007199254740993,"capitalExponent":6.022E+23,"huge":12345678901234567890123,` +
				`"longFraction":3.14159265358979323846264338327950288,"negativeBeyondDouble":-9007199254740993,` +
				`"negativeZero":-0,"small":1e-7,"tenth":0.1,"trailingZero":2.50},` +
				`"settings":{},"title":"Exchange","zebra":1},` +
				`{"condition":{"or":[{"and":[{"not":{"or":[{"and":[{"not":{"compare":{` +
				`"left":{"variable":{"id":"var_amount","scale":[0,[1,[2,[3,[]]]]]}},"operator":">=","right":{"value":250.75}}}},` +
				`true]},false]}},"isReturning"]}]},"id":"grp_refund","title":"Refund"},` +
				`"a node that is only a string",null]`,
			"memory": list{
				object{"id": "var_customer", "name": "customerName", "is_session_variable": true, "value": "Żaneta 🚲"},
				object{"id": "var_reason", "name": "reason", "is_session_variable": true, "value": ""},
				object{"id": "var_courier", "name": "courierAccount", "is_session_variable": false, "value": "acct-0042"},
			},
			"entrypoints": list{
				object{
					"id":                "ent_start",
					"graph_coordinates": object{"x": number("-480.25"), "y": number("0")},
					"type":              "start",
					"outgoing_edge_id":  "lnk_start",
				},
				object{
					"id":                "ent_reminder",
					"graph_coordinates": object{"x": number("1000"), "y": number("-120.5")},
					"type":              "command",
					"outgoing_edge_id":  "lnk_damaged",
				},
			},
		},
		"canvas": object{
			"appearance_json": `{"chat":{"hostAvatar":{"isEnabled":true,"url":null},"inputs":{},"opacity":0.85,"roundness":"medium"},` +
				`"customCss":".bubble > b { color: #268bd2; } /* é */",` +
				`"general":{"background":{"content":"#fdf6e3","type":"color"},"font":{"family":"Atkinson Hyperlegible","type":"hosted"}}}`,
			"annotations": list{
				object{
					"id":      "ann_courier",
					"type":    "stickyNote",
					"content": "Courier pick-up only on weekdays.\nAsk Søren before changing 🛵",
					"x":       number("-120.5"),
					"y":       number("1000"),
					"width":   number("240"),
					"height":  number("160.75"),
					"color":   "yellow",
					"z_index": number("3"),
				},
				object{
					"id":      "ann_legal",
					"type":    "stickyNote",
					"content": "14 days, see the terms & conditions",
					"x":       number("0"),
					"y":       number("-32.125"),
					"width":   number("180.5"),
					"height":  number("90"),
					"color":   "yellow",
					"z_index": number("0"),
				},
			},
			"preset_id": "preset_larkspur",
		},
		"execution": object{
			"rules_json": `{"general":{"isInputPrefillEnabled":true,"isTypingEmulationEnabled":false},` +
				`"timeouts":[30,60,null],"typingEmulation":{"maxDelay":1.5,"speed":450}}`,
			"simulation_json": `{"isEnabled":true,"scenarios":[{"name":"wrong size","steps":["Wrong size","56 cm"]},` +
				`{"name":"damaged","steps":[]}]}`,
		},
		"exposure": object{
			"state":    object{"published": true, "archived": false, "locked": false},
			"schedule": object{"published_at": "2026-03-12T08:30:00.000Z"},
			"access": object{
				"url":    "https://chat.larkspur-bicycles.example/returns",
				"domain": "chat.larkspur-bicycles.example",
				"share": object{
					"token":      "shr_5Tz0nQ",
					"rules_json": `{"allow":["larkspur-bicycles.example"],"expiresAfterDays":30,"password":null}`,
				},
			},
		},
		"tenancy": object{
			"workspace_ref": "ws_larkspur01",
			"domain_ref":    "dom_chat",
			"workspace": object{
				"is_suspended": false,
				"is_past_due":  true,
				"members": list{
					object{"user_id": "usr_soren"},
					object{"user_id": "usr_adaeze"},
					object{"user_id": "usr_hanako"},
				},
				"collaborators_json": `[{"type":"READ","userId":"usr_zoe"},{"invited":"ulrich@oddspoke-agency.example","since":1773300000}]`,
			},
		},
		"timestamps": object{"created": "2023-06-02T13:45:09.118Z", "updated": "2026-03-17T16:42:05.003Z"},
		"taxonomy": object{
			"tags": object{
				"ids":            list{"tag_service", "tag_en", "tag_seasonal"},
				"relations_json": `[{"position":0,"tagId":"tag_service"},["tag_en","tag_seasonal"]]`,
			},
		},
		"safeguards": object{
			"security_json": `{"allowedOrigins":["https://larkspur-bicycles.example","https://*.larkspur-bicycles.example"],` +
				`"captcha":{"provider":"none","threshold":0.5}}`,
			"risk_score": number("12.75"),
		},
		"telemetry": object{
			"tables": object{
				"order":           list{"submittedAt", "var_reason", "var_customer"},
				"visibility_json": `{"submittedAt":true,"var_customer":false}`,
				"width_json":      `{"submittedAt":180,"var_reason":240.5}`,
			},
		},
		"integrations": object{"messaging": object{"credentials_ref": "cred_messaging_eu"}},
	}
}

// expectedSparseAgent keeps absent, null and empty apart.
func expectedSparseAgent() object {
	return object{
		"definition_json": `{"canvas":null,"execution":{"rules":{},"simulation":null},` +
			`"exposure":{"access":{"share":{"rules":null},"url":""},"schedule":{"publishedAt":null},"state":{"published":false}},` +
			`"graph":{"entrypoints":[{"id":"ent_start","type":"start"}],"links":[],"memory":null,"nodes":[]},` +
			`"profile":{"labels":[],"title":""},"ref":{"key":"agt_scratch","publicKey":null,"revision":"1"},` +
			`"safeguards":{"riskScore":0},"taxonomy":{"tags":null},"telemetry":{"tables":{"order":[],"visibility":{}}},` +
			`"timestamps":{"created":"2026-03-18T08:59:59.999Z"}}`,
		"current_user_mode": "write",
		"ref":               object{"key": "agt_scratch", "revision": "1", "public_key": nil},
		"profile":           object{"title": "", "summary": nil, "icon": nil, "labels": list{}},
		"graph": object{
			"links":      list{},
			"nodes_json": `[]`,
			"memory":     nil,
			"entrypoints": list{
				object{"id": "ent_start", "graph_coordinates": nil, "type": "start", "outgoing_edge_id": nil},
			},
		},
		"canvas":    nil,
		"execution": object{"rules_json": `{}`, "simulation_json": nil},
		"exposure": object{
			"state":    object{"published": false, "archived": nil, "locked": nil},
			"schedule": object{"published_at": nil},
			"access":   object{"url": "", "domain": nil, "share": object{"token": nil, "rules_json": nil}},
		},
		"tenancy":      nil,
		"timestamps":   object{"created": "2026-03-18T08:59:59.999Z", "updated": nil},
		"taxonomy":     object{"tags": nil},
		"safeguards":   object{"security_json": nil, "risk_score": number("0")},
		"telemetry":    object{"tables": object{"order": list{}, "visibility_json": `{}`, "width_json": nil}},
		"integrations": nil,
	}
}

// expectedFullAudit is what an audit has of the agent agt_returns.
func expectedFullAudit() object {
	audited := expectedFullSummary()
	maps.Copy(audited, object{
		"current_user_mode": "write",
		"revision":          "42",
		"labels":            list{"service", "returns", "größe"},
		"is_archived":       false,
		"is_locked":         false,
		"domain":            "chat.larkspur-bicycles.example",
		"risk_score":        number("12.75"),
		"workspace_ref":     "ws_larkspur01",
		"node_count":        number("5"),
		"link_count":        number("3"),
		"memory_count":      number("3"),
		"entrypoint_count":  number("2"),
		"graph_findings":    list{},
		"stats": object{
			"today":     counters("7", "3", "1", "33"),
			"last7Days": counters("70", "26", "12", "46"),
		},
	})
	return audited
}

// expectedSparseAudit is what an audit has of the agent agt_scratch.
func expectedSparseAudit() object {
	audited := expectedSparseSummary()
	maps.Copy(audited, object{
		"current_user_mode": "write",
		"revision":          "1",
		"labels":            list{},
		"is_archived":       nil,
		"is_locked":         nil,
		"domain":            nil,
		"risk_score":        number("0"),
		"workspace_ref":     nil,
		"node_count":        number("0"),
		"link_count":        number("0"),
		"memory_count":      nil,
		"entrypoint_count":  number("1"),
		"graph_findings":    list{},
		"stats":             object{"today": counters("0", "0", "0", ""), "last7Days": counters("0", "0", "0", "")},
	})
	return audited
}

// expectedAuditOfOne is an audit of the agent agt_returns alone.
func expectedAuditOfOne() object {
	return object{
		"workspace":      expectedWorkspace(),
		"members":        expectedMembers()["members"],
		"emails_by_role": expectedMembers()["emails_by_role"],
		"agents":         object{"agt_returns": expectedFullAudit()},
		"problems":       list{},
		"summary": object{
			"agents": number("1"), "published": number("1"), "archived": number("0"), "locked": number("0"),
			"foreign_agents": number("0"), "graph_findings": nil, "problems": number("0"), "members": number("8"),
			"members_by_role": object{"ADMIN": number("2"), "BILLING": number("1"), "GUEST": number("2"), "MEMBER": number("3")},
			"stats": object{
				"today":     counters("7", "3", "1", "33"),
				"last7Days": counters("70", "26", "12", "46"),
			},
		},
	}
}

// counters are those of a period, with a null percentage for "".
func counters(views, starts, completed, percent string) object {
	c := object{
		"total_views": number(views), "total_starts": number(starts), "total_completed": number(completed), "completion_percent": nil,
	}
	if percent != "" {
		c["completion_percent"] = number(percent)
	}
	return c
}
