// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
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
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected sensitive attributes (-want +got):\n%s", diff)
	}
}

// Whoever adds a type learns here what is left to do.
func TestEveryTypeIsComplete(t *testing.T) {
	t.Parallel()
	for _, served := range servedTypes(t) {
		short := strings.TrimPrefix(served.name, "convo_")
		link := "/" + served.kind + "/" + short
		requireText := func(file, text, advice string) {
			t.Helper()
			if content, err := os.ReadFile(file); err != nil || !strings.Contains(string(content), text) {
				t.Errorf("%s %s: %s does not contain %s. %s", served.kind, served.name, filepath.ToSlash(file), text, advice)
			}
		}
		switch served.kind {
		case "provider":
			requireExamples(t, filepath.Join(examplesRoot, "provider"), "../../docs/index.md")
			continue
		case "data-sources":
			requireText(short+"_data_source_test.go", "func TestAcc"+camelCase(short)+"DataSource(", "Add an acceptance test.")
		case "resources":
			requireText(short+"_resource_test.go", "func TestAcc"+camelCase(short)+"Resource(", "Add an acceptance test.")
		case "functions":
			requireText(short+"_function_test.go", "func TestAcc"+camelCase(short)+"Function(", "Add an acceptance test.")
		case "actions":
			requireText(short+"_action_test.go", "func TestAcc"+camelCase(short)+"Action(", "Add an acceptance test.")
		}
		examples := filepath.Join(examplesRoot, served.kind, served.name)
		// An ephemeral resource can do with the examples of its data source.
		if _, err := os.Stat(examples); err == nil || served.kind != "ephemeral-resources" {
			requireExamples(t, examples, "../../docs"+link+".md")
		}
		requireText("../../CHANGELOG.md", "`"+served.name+"`", "Mention it.")
	}
}

// requireExamples requires examples in a directory, and that a page of the
// documentation shows all of them, except for the blocks that only the provider's
// page shows: a user who pastes them a second time gets an error.
func requireExamples(t *testing.T, dir, page string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.tf"))
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		return readText(t, file) == readText(t, filepath.Join(examplesRoot, providerFile))
	})
	if len(files) == 0 {
		t.Errorf("%s has no example. Add a .tf file.", filepath.ToSlash(dir))
		return
	}
	text, _ := os.ReadFile(page) // A missing page shows nothing.
	for _, file := range files {
		if !strings.Contains(string(text), strings.TrimSpace(readText(t, file))) {
			t.Errorf("%s does not show %s. Add it to the page's template, and run make generate.", filepath.ToSlash(page), filepath.ToSlash(file))
		}
	}
}

// camelCase returns agent_stats as AgentStats.
func camelCase(name string) string {
	var camel string
	for word := range strings.SplitSeq(name, "_") {
		camel += strings.ToUpper(word[:1]) + word[1:]
	}
	return camel
}

// No example is left of a type that does not exist anymore.
func TestExamplesAreOfExistingTypes(t *testing.T) {
	t.Parallel()
	served := map[string]bool{}
	kinds := map[string]bool{}
	for _, s := range servedTypes(t) {
		served[s.kind+"/"+s.name] = true
		kinds[s.kind] = s.kind != "provider"
	}
	for kind, hasFolders := range kinds {
		entries, err := os.ReadDir(filepath.Join(examplesRoot, kind))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if hasFolders && !served[kind+"/"+entry.Name()] {
				t.Errorf("examples/%s/%s is for a type that does not exist", kind, entry.Name())
			}
		}
	}
}

func readText(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
