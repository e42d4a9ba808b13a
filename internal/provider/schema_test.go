// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"os"
	"path/filepath"
	"reflect"
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

// servedTypes are all types in the response to GetProviderSchema. A kind that
// is new in the protocol fails the test until it is added here.
func servedTypes(t *testing.T) []servedType {
	t.Helper()
	kinds := map[string]string{
		"Provider": "", "ProviderMeta": "", "ServerCapabilities": "", "Diagnostics": "",
		"ResourceSchemas": "resources", "DataSourceSchemas": "data-sources", "EphemeralResourceSchemas": "ephemeral-resources",
		"ListResourceSchemas": "list-resources", "StateStoreSchemas": "state-stores", "ActionSchemas": "actions", "Functions": "functions",
	}
	response := newProtocol(t).schema
	types := []servedType{{"provider", "provider", response.Provider.Block}}
	for _, field := range reflect.VisibleFields(reflect.TypeOf(*response)) {
		kind, ok := kinds[field.Name]
		if !ok {
			t.Fatalf("the protocol serves %s, which no test over schemas covers", field.Name)
		}
		if kind == "" {
			continue
		}
		for entry := reflect.ValueOf(*response).FieldByIndex(field.Index).MapRange(); entry.Next(); {
			served := servedType{kind: kind, name: entry.Key().String()}
			switch value := entry.Value().Interface().(type) {
			case *tfprotov6.Schema:
				served.block = value.Block
			case *tfprotov6.ActionSchema:
				served.block = value.Schema.Block
			case *tfprotov6.Function:
				served.block = functionBlock(value)
			default:
				t.Fatalf("%s are %T, which no test over schemas covers", field.Name, value)
			}
			types = append(types, served)
		}
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
		requireSentence(t, served.kind+"."+served.name, served.block.Description)
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
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected sensitive attributes (-want +got):\n%s", diff)
	}
}

// Every type has an example, and its page of the documentation shows all of its
// examples.
func TestEveryTypeHasAnExample(t *testing.T) {
	t.Parallel()
	for _, served := range servedTypes(t) {
		dir := filepath.Join(examplesRoot, served.kind, served.name)
		if served.kind == "provider" {
			dir = filepath.Join(examplesRoot, "provider")
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.tf"))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Errorf("%s %s has no example: add a .tf file to %s", served.kind, served.name, filepath.ToSlash(dir))
		}
		page := filepath.Join("../../docs", served.kind, strings.TrimPrefix(served.name, "convo_")+".md")
		if served.kind == "provider" {
			page = "../../docs/index.md"
		}
		text := readText(t, page)
		for _, file := range files {
			if !strings.Contains(text, strings.TrimSpace(readText(t, file))) {
				t.Errorf("%s does not show %s: add it to the template of the page", filepath.ToSlash(page), filepath.ToSlash(file))
			}
		}
	}
	// And none is left of a type that is gone.
	served := map[string]bool{}
	for _, s := range servedTypes(t) {
		served[s.kind+"/"+s.name] = true
	}
	for _, kind := range []string{"resources", "data-sources", "ephemeral-resources", "list-resources", "state-stores", "actions", "functions"} {
		entries, err := os.ReadDir(filepath.Join(examplesRoot, kind))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if !served[kind+"/"+entry.Name()] {
				t.Errorf("examples/%s/%s is for a type that does not exist", kind, entry.Name())
			}
		}
	}
}

// The changelog mentions every type.
func TestEveryTypeIsInTheChangelog(t *testing.T) {
	t.Parallel()
	changelog := readText(t, "../../CHANGELOG.md")
	for _, served := range servedTypes(t) {
		if served.kind != "provider" && !strings.Contains(changelog, "`"+served.name+"`") {
			t.Errorf("CHANGELOG.md does not mention %s", served.name)
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

// The wrapper serves everything that the framework's server can serve.
func TestServerHidesNothing(t *testing.T) {
	t.Parallel()
	s := newServer((&convoProvider{version: "test"}))
	if s.frameworkServer == nil {
		t.Fatal("the framework's server lacks a part of frameworkServer")
	}
	wrapper, framework := reflect.TypeOf(s), reflect.TypeOf(s.frameworkServer)
	// RPCs take a context and a request of the protocol. The framework's server
	// has other methods besides.
	for i := range framework.NumMethod() {
		method := framework.Method(i)
		if method.Type.NumIn() != 3 || !strings.Contains(method.Type.In(2).String(), "tfprotov6.") {
			continue
		}
		if _, ok := wrapper.MethodByName(method.Name); !ok {
			t.Errorf("the framework serves %s, which the wrapper hides: add its server to frameworkServer", method.Name)
		}
	}
}
