// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// servedType is a type of any kind that the provider serves, or the provider
// itself.
type servedType struct {
	// kind is the folder of the kind's examples, such as "data-sources".
	kind, name string
	block      *tfprotov6.SchemaBlock
}

// servedTypes returns all types that the provider serves, and the provider.
func servedTypes(t *testing.T) []servedType {
	t.Helper()
	response := newTestProvider(t).schema
	types := []servedType{{"provider", "provider", response.Provider.Block}}
	for kind, schemas := range map[string]map[string]*tfprotov6.Schema{
		"resources": response.ResourceSchemas, "data-sources": response.DataSourceSchemas, "ephemeral-resources": response.EphemeralResourceSchemas,
	} {
		for name, schema := range schemas {
			types = append(types, servedType{kind, name, schema.Block})
		}
	}
	for name, action := range response.ActionSchemas {
		types = append(types, servedType{"actions", name, action.Schema.Block})
	}
	for name, function := range response.Functions {
		types = append(types, servedType{"functions", name, functionBlock(function)})
	}
	return types
}

// functionBlock presents a function like a schema: its parameters are what a
// user reads about.
func functionBlock(f *tfprotov6.Function) *tfprotov6.SchemaBlock {
	block := &tfprotov6.SchemaBlock{Description: f.Description, Attributes: []*tfprotov6.SchemaAttribute{{Name: "summary", Description: f.Summary}}}
	for _, parameter := range f.Parameters {
		block.Attributes = append(block.Attributes, &tfprotov6.SchemaAttribute{Name: parameter.Name, Description: parameter.Description})
	}
	return block
}

// attributes are all attributes of a type by their paths, nested ones
// included.
func (s servedType) attributes() map[string]*tfprotov6.SchemaAttribute {
	all := map[string]*tfprotov6.SchemaAttribute{}
	var walk func(path string, attributes []*tfprotov6.SchemaAttribute)
	walk = func(path string, attributes []*tfprotov6.SchemaAttribute) {
		for _, attribute := range attributes {
			here := path + "." + attribute.Name
			all[here] = attribute
			if attribute.NestedType != nil {
				walk(here, attribute.NestedType.Attributes)
			}
		}
	}
	walk(s.kind+"."+s.name, s.block.Attributes)
	return all
}

// Everything that a user can meet in the documentation is described there.
func TestSchemasAreDescribed(t *testing.T) {
	t.Parallel()
	for _, served := range servedTypes(t) {
		// Descriptions from files end with a line break.
		requireSentence(t, served.kind+"."+served.name, strings.TrimSuffix(served.block.Description, "\n"))
		for path, attribute := range served.attributes() {
			requireSentence(t, path, attribute.Description)
		}
	}
}

func requireSentence(t *testing.T, path, description string) {
	t.Helper()
	if description == "" || !strings.HasSuffix(description, ".") || strings.ToUpper(description[:1]) != description[:1] {
		t.Errorf("%s: %q is not a sentence", path, description)
	}
}

// Each object has an acceptance test, in the file beside its own or its data source's.
func TestEveryObjectHasAnAcceptanceTest(t *testing.T) {
	t.Parallel()
	for _, served := range servedTypes(t) {
		if served.kind == "provider" {
			continue
		}
		name := strings.TrimPrefix(served.name, "convo_")
		kind := strings.TrimSuffix(strings.ReplaceAll(served.kind, "-", "_"), "s")
		test := "TestAcc"
		for _, word := range strings.Split(name+"_"+kind, "_") {
			test += strings.ToUpper(word[:1]) + word[1:]
		}
		file := name + "_" + strings.Replace(kind, "ephemeral_resource", "data_source", 1) + "_test.go"
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil || !slices.ContainsFunc(parsed.Decls, func(declared ast.Decl) bool {
			function, ok := declared.(*ast.FuncDecl)
			return ok && function.Name.Name == test
		}) {
			t.Errorf("%s lacks %s, the acceptance test of %s (step 5 of Add a Data Source in ADDING.md)", file, test, served.name)
		}
	}
}

// Each object has a page, an entry in the changelog, and an example, if its page does not refer to that
// of its data source.
func TestEveryObjectIsDocumented(t *testing.T) {
	t.Parallel()
	const root = "../../"
	changelog, err := os.ReadFile(root + "CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, served := range servedTypes(t) {
		if served.kind == "provider" {
			continue
		}
		example := "examples/" + served.kind + "/" + served.name
		if files, _ := filepath.Glob(root + example + "/*.tf"); len(files) == 0 && served.kind != "ephemeral-resources" {
			t.Errorf("%s has no example. Add it (step 6 of Add a Data Source in ADDING.md)", example)
		}
		page := "docs/" + served.kind + "/" + strings.TrimPrefix(served.name, "convo_") + ".md"
		if _, err := os.Stat(root + page); err != nil {
			t.Errorf("%s is missing. Run make generate (step 6 of Add a Data Source in ADDING.md)", page)
		}
		if !bytes.Contains(changelog, []byte("`"+served.name+"`")) {
			t.Errorf("CHANGELOG.md lacks %s. Add an entry (step 7 of Add a Data Source in ADDING.md)", served.name)
		}
	}
}

// What must not be shown is marked, and nothing else: a value that is marked
// needlessly hides what an audit is for.
func TestSensitiveAttributes(t *testing.T) {
	t.Parallel()
	var got []string
	for _, served := range servedTypes(t) {
		for path, attribute := range served.attributes() {
			if attribute.Sensitive {
				got = append(got, path)
			}
		}
	}
	slices.Sort(got)
	want := []string{
		"data-sources.convo_agent.exposure.access.share.token",
		"ephemeral-resources.convo_agent.exposure.access.share.token",
		"provider.provider.client_key_pem",
		"provider.provider.headers",
		"provider.provider.token",
		"resources.convo_audit_record.record",
		"resources.convo_session_agent.payload",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected sensitive attributes (-want +got):\n%s", diff)
	}
}
