// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"time"
)

// Control returns a handler that changes the service's data while it runs, so that drift can be seen and tested. It is
// not part of the API: requests to it need no token, are not recorded, and see neither latency nor faults. It serves
// only peers on the same machine; for all others the response is a 403. Mount it at the root, beside the service:
//
//	PATCH  /-/workspaces/{workspaceId}                  merges the body into the workspace
//	PATCH  /-/workspaces/{workspaceId}/members/{email}  merges the body into a member, or adds the member
//	DELETE /-/workspaces/{workspaceId}/members/{email}  removes a member
//	PATCH  /-/agents/{agentId}                          merges `summary` and `definition` of the body into the agent
//	POST   /-/agents/{agentId}/revise                   does what [Server.ReviseAgent] does
//	POST   /-/agents/{agentId}/count                    adds `views`, `starts` and `completed` to today's counters
//
// A PATCH body is a JSON merge patch (RFC 7396), in which null removes a key. Each response is the changed object.
func (s *Server) Control() http.Handler {
	mux := http.NewServeMux()
	for pattern, change := range map[string]func(*http.Request) (any, error){
		"PATCH /-/workspaces/{workspaceId}":                  s.patchWorkspace,
		"PATCH /-/workspaces/{workspaceId}/members/{email}":  s.patchMember,
		"DELETE /-/workspaces/{workspaceId}/members/{email}": s.removeMember,
		"PATCH /-/agents/{agentId}":                          s.patchAgent,
		"POST /-/agents/{agentId}/revise":                    s.reviseAgent,
		"POST /-/agents/{agentId}/count":                     s.countSession,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			value, err := change(r)
			if err != nil {
				writeError(w, err)
				return
			}
			writeJSON(w, http.StatusOK, value)
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil || !peer.Addr().IsLoopback() {
			writeError(w, &failure{status: http.StatusForbidden, issues: []string{"only this machine can change the data"}})
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (s *Server) patchWorkspace(r *http.Request) (any, error) {
	patch := map[string]json.RawMessage{}
	if err := readBody(r, &patch); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	workspace, err := s.findWorkspace(r.PathValue("workspaceId"))
	if err != nil {
		return nil, err
	}

	record, err := mergePatch(workspace.Record, patch)
	if err != nil {
		return nil, err
	}
	var identity struct{ Slug string }
	if err := json.Unmarshal(record, &identity); err != nil {
		return nil, badRequest("slug must be a string or null")
	}
	workspace.Record, workspace.Slug = record, identity.Slug
	return record, nil
}

func (s *Server) patchMember(r *http.Request) (any, error) {
	patch := map[string]json.RawMessage{}
	if err := readBody(r, &patch); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	workspace, members, index, err := s.findMember(r)
	if err != nil {
		return nil, err
	}

	if index < 0 {
		index = len(members)
		member, err := encode(map[string]any{
			"workspaceId": workspace.ID,
			"user":        map[string]string{"email": r.PathValue("email")},
		})
		if err != nil {
			return nil, err
		}
		members = append(members, member)
	}
	if members[index], err = mergePatch(members[index], patch); err != nil {
		return nil, err
	}
	workspace.Lists["members"] = members
	return members[index], nil
}

func (s *Server) removeMember(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	workspace, members, index, err := s.findMember(r)
	if err != nil {
		return nil, err
	}
	if index < 0 {
		return nil, &failure{status: http.StatusNotFound}
	}
	member := members[index]
	workspace.Lists["members"] = slices.Delete(members, index, index+1)
	return member, nil
}

// findMember finds a member by email address. The index is -1 when there is none. The members and the map that holds
// them are copies that belong to this server, because the originals can belong to the seed of another one. The caller
// holds the lock.
func (s *Server) findMember(r *http.Request) (workspace *Workspace, members []json.RawMessage, index int, err error) {
	if workspace, err = s.findWorkspace(r.PathValue("workspaceId")); err != nil {
		return nil, nil, 0, err
	}
	workspace.Lists = maps.Clone(workspace.Lists)
	if workspace.Lists == nil {
		workspace.Lists = map[string][]json.RawMessage{}
	}
	members = slices.Clone(workspace.Lists["members"])
	index = slices.IndexFunc(members, func(document json.RawMessage) bool {
		var member struct{ User struct{ Email string } }
		err := json.Unmarshal(document, &member)
		return err == nil && member.User.Email == r.PathValue("email")
	})
	return workspace, members, index, nil
}

func (s *Server) patchAgent(r *http.Request) (any, error) {
	var patch struct{ Summary, Definition map[string]json.RawMessage }
	if err := readBody(r, &patch); err != nil {
		return nil, err
	}
	return s.changeAgent(r, func(agent *Agent) (any, error) {
		var err error
		if agent.Summary, err = mergePatch(agent.Summary, patch.Summary); err != nil {
			return nil, err
		}
		if agent.Definition, err = mergePatch(agent.Definition, patch.Definition); err != nil {
			return nil, err
		}
		return map[string]json.RawMessage{"summary": agent.Summary, "definition": agent.Definition}, nil
	})
}

func (s *Server) reviseAgent(r *http.Request) (any, error) {
	id := r.PathValue("agentId")
	if _, err := s.findAgent(id); err != nil {
		return nil, err
	}
	revision, err := s.ReviseAgent(id)
	if err != nil {
		return nil, badRequest(err.Error())
	}
	return map[string]string{"revision": revision}, nil
}

func (s *Server) countSession(r *http.Request) (any, error) {
	var more struct{ Views, Starts, Completed int64 }
	if err := readBody(r, &more); err != nil {
		return nil, err
	}
	return s.changeAgent(r, func(agent *Agent) (any, error) {
		today := s.clock().UTC().Format(time.DateOnly)
		agent.Daily = slices.Clone(agent.Daily)
		index := slices.IndexFunc(agent.Daily, func(count DailyCount) bool { return count.Day == today })
		if index < 0 {
			index = len(agent.Daily)
			agent.Daily = append(agent.Daily, DailyCount{Day: today})
		}
		count := &agent.Daily[index]
		count.Views += more.Views
		count.Starts += more.Starts
		count.Completed += more.Completed
		return *count, nil
	})
}

// changeAgent changes the agent of a request, unless change returns an error.
func (s *Server) changeAgent(r *http.Request, change func(*Agent) (any, error)) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	agent, ok := s.agents[r.PathValue("agentId")]
	if !ok {
		return nil, &failure{status: http.StatusNotFound}
	}
	value, err := change(&agent)
	if err != nil {
		return nil, err
	}
	s.agents[agent.ID] = agent
	return value, nil
}

// readBody reads a body that must be a JSON object without keys that value has no field for.
func readBody(r *http.Request, value any) error {
	decoder := json.NewDecoder(io.LimitReader(r.Body, maxBodyBytes))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(value); err != nil {
		return badRequest(fmt.Sprintf("body: %v", err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return badRequest("body: more than one JSON value")
	}
	return nil
}
