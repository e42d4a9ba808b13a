// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	_ "embed"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/oasdiff/yaml"
)

//go:embed openapi.yaml
var openAPI []byte

// operation is one operation of openapi.yaml.
type operation struct {
	id     string // its operationId
	method string
	path   string // with at most one parameter, in braces
	needs  Mode   // the role in its security requirement
	serve  func(call) (any, error)
}

// call is an authenticated request, taken apart for its operation. The caller of the operation holds the server's lock.
type call struct {
	caller   Caller
	id       string // the path parameter, unescaped
	rawQuery string
	body     []byte
}

// handlers are the operations that do more than return a document of a workspace, by operationId.
func (s *Server) handlers() map[string]func(call) (any, error) {
	return map[string]func(call) (any, error){
		"getWorkspace":       s.getWorkspace,
		"listAgents":         s.listAgents,
		"getAgent":           s.getAgent,
		"getAgentStats":      s.getAgentStats,
		"updateSessionAgent": s.updateSessionAgent,
	}
}

// description is what openapi.yaml says about an operation.
type description struct {
	OperationID string
	Security    []struct{ Bearer []Mode }
	Responses   map[string]struct {
		Content map[string]struct {
			Schema struct {
				Required   []string
				Properties map[string]struct{ Type any }
			}
		}
	}
}

// describedPaths returns the operations of openapi.yaml by path and method, in lower case.
var describedPaths = sync.OnceValue(func() map[string]map[string]description {
	var document struct {
		Paths map[string]map[string]description
	}
	must(yaml.Unmarshal(openAPI, &document, yaml.DecodeOpts{}))
	return document.Paths
})

// describedOperations makes the operations of openapi.yaml. A GET operation without a handler returns a document of the
// workspace, under the first key that its response requires.
func (s *Server) describedOperations() []operation {
	var operations []operation
	handlers := s.handlers()
	paths := describedPaths()
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for method, d := range paths[path] {
			op := operation{id: d.OperationID, method: strings.ToUpper(method), path: path, serve: handlers[d.OperationID]}
			for _, requirement := range d.Security {
				for _, mode := range requirement.Bearer {
					op.needs = mode
				}
			}
			schema := d.Responses["200"].Content["application/json"].Schema
			if op.serve == nil && op.method == http.MethodGet && len(schema.Required) > 0 {
				key := schema.Required[0]
				op.serve = s.getDocument(key, schema.Properties[key].Type == "array")
			}
			if op.serve != nil {
				operations = append(operations, op)
			}
		}
	}
	return operations
}

// match finds the operation of a request and the value of its path parameter. Without a match any access is enough to
// get a 404. It does not use [http.ServeMux], which redirects paths with empty or dot segments and responds to wrong
// methods with 405: the API documents neither.
func (s *Server) match(method, escapedPath string) (op operation, id string, found bool) {
	for _, op := range s.operations {
		if op.method != method {
			continue
		}
		if id, ok := matchPath(op.path, escapedPath); ok {
			return op, id, true
		}
	}
	return operation{needs: ModeGuest}, "", false
}

// matchPath compares a path with a pattern segment by segment, so that an escaped slash stays inside its segment.
func matchPath(pattern, escapedPath string) (id string, ok bool) {
	wanted := strings.Split(pattern, "/")
	given := strings.Split(escapedPath, "/")
	if len(wanted) != len(given) {
		return "", false
	}
	for i, segment := range given {
		if segment == "." || segment == ".." {
			return "", false
		}
		value, err := url.PathUnescape(segment)
		if err != nil {
			return "", false
		}
		switch {
		case strings.HasPrefix(wanted[i], "{") && value != "":
			id = value
		case wanted[i] != value:
			return "", false
		}
	}
	return id, true
}

// must returns a value of the package's own files or of generated data, which only a mistake in the package prevents.
func must[T any](value T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("devserver: %v", err))
	}
	return value
}
