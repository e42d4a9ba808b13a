// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestImports holds that the service shares no code with the client or the provider, and needs only the standard
// library outside its tests.
func TestImports(t *testing.T) {
	t.Parallel()
	const (
		module = "github.com/convo/terraform-provider-convo"
		self   = module + "/internal/devserver"
	)
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d files, %v", len(files), err)
	}

	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			host, _, _ := strings.Cut(path, "/")
			switch isTest := strings.HasSuffix(name, "_test.go"); {
			case isTest && strings.HasPrefix(path, module) && path != self:
				t.Errorf("%s imports %s of this module", name, path)
			case !isTest && strings.Contains(host, "."):
				t.Errorf("%s imports %s, which is not of the standard library", name, path)
			}
		}
	}
}
