// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/oasdiff/yaml"
)

//go:embed openapi.yaml
var openAPI []byte

// operation is what the server uses of an operation in openapi.yaml.
type operation struct {
	id      string // its operationId
	method  string
	path    string // with parameters in braces, as in a pattern of [http.ServeMux]
	needs   Mode   // the role in its security requirement
	example any    // of the response 200, or nil
}

// unknownOperation stands for all other paths and methods. Any access is enough to get a 404.
var unknownOperation = operation{needs: ModeGuest}

// operations returns the operations of openapi.yaml.
var operations = sync.OnceValue(func() []operation {
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Security    []struct{ Bearer []Mode }
			Responses   map[string]struct {
				Content map[string]struct{ Example any }
			}
		}
	}
	must(yaml.Unmarshal(openAPI, &document, yaml.DecodeOpts{}))

	var operations []operation
	for path, methods := range document.Paths {
		for method, described := range methods {
			op := operation{id: described.OperationID, method: strings.ToUpper(method), path: path}
			for _, requirement := range described.Security {
				op.needs = requirement.Bearer[0]
			}
			op.example = described.Responses["200"].Content["application/json"].Example
			operations = append(operations, op)
		}
	}
	return operations
})

// must returns a value of the package's own files or of generated data, which only a mistake in the package prevents.
func must[T any](value T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("devserver: %v", err))
	}
	return value
}
