// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package acceptance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// object is a data source, and the response with its values.
type object struct {
	kind, name string
	arguments  string
	raw        response
	key        string // of the response, whose fields are attributes; "" if the keys themselves are
}

func (o object) address() string { return "data." + o.kind + "." + o.name }

// objects returns the objects, for those agents that were read.
func (s *suite) objects() []object {
	query := map[string]string{}
	for name := range s.agentQuery {
		query[name] = s.agentQuery.Get(name)
	}
	workspace := "workspace_id = " + hcl(s.workspaceID) + "\n"
	auditArguments := workspace + "agent_query = " + hcl(query) + `
include_graph_findings = true
stats_periods          = ["today", "allTime"]
`
	all := []object{
		{"convo_workspace", "test", workspace, s.workspace, "workspace"},
		{"convo_members", "test", workspace, s.members, ""},
		{"convo_agents", "test", "query = " + hcl(query) + "\n", s.list, ""},
		{"convo_workspace_audit", "test", auditArguments, s.audited(), ""},
	}
	for i, a := range s.agents {
		name, id := fmt.Sprintf("agent_%d", i), "agent_id = "+hcl(a.id)+"\n"
		all = append(all,
			object{"convo_agent", name, id + "include_definition_json = true\n", a.definition, "agent"},
			object{"convo_agent_stats", name, id + "period = \"allTime\"\n", a.stats, "stats"})
	}
	return all
}

// audited returns the response that an audit requires, and the first one that the service refuses.
func (s *suite) audited() response {
	for _, r := range []response{s.workspace, s.members} {
		if r.status != http.StatusOK {
			return r
		}
	}
	return s.list
}

// hcl returns a value as an expression.
func hcl(value any) string {
	text, _ := json.Marshal(value)
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(string(text))
}

// recording is the configuration of an audit's record.
const recording = `
resource "convo_audit_record" "test" {
  audit    = jsonencode(data.convo_workspace_audit.test)
  accepted = { first_record = "make testacc" }
}
output "rules" {
  value     = provider::convo::audit_report(jsonencode(data.convo_workspace_audit.test), null, []).findings[*].rule
  sensitive = true
}
`

// functions is the configuration of the functions with definitions.
const functions = `
output "findings" {
  value = flatten([for d in local.definitions : provider::convo::graph_findings(d)[*].kind])
}
output "faults" {
  value = concat(
    [for d in local.definitions : "flow_diagram draws nothing" if !startswith(provider::convo::flow_diagram(d), "flowchart")],
    [for d in local.definitions : "definition_diff finds a change" if length(provider::convo::definition_diff(d, d)) > 0],
  )
}
`

// configuration returns the configuration of objects, which are ephemeral resources, too.
func configuration(objects []object) string {
	text, definitions := "", ""
	for _, o := range objects {
		for _, mode := range []string{"data", "ephemeral"} {
			text += fmt.Sprintf("%s %q %q {\n%s}\n", mode, o.kind, o.name, o.arguments)
		}
		if o.kind == "convo_workspace_audit" {
			text += recording
		}
		if member(o.raw.body, "agent", "graph") != nil { // The functions require a graph.
			definitions += o.name + " = " + o.address() + ".definition_json\n"
		}
	}
	if definitions != "" {
		text += functions + "locals {\ndefinitions = {\n" + definitions + "}\n}\n"
	}
	return text
}

// runProvider reads everything with the provider, and compares it with the responses.
func (s *suite) runProvider() {
	var read []object
	var texts []string
	for _, o := range s.objects() {
		text := "`" + o.kind + "`"
		if o.raw.status == http.StatusOK {
			read = append(read, o)
		} else {
			text += " not read: " + refusal(o.raw)
		}
		texts = append(texts, text)
	}
	s.observe("Objects of the provider", "values of the responses", counted(texts, "none"),
		"If 400, set CONVO_TEST_AGENT_QUERY; if 401, check CONVO_TOKEN; if 404, check the IDs")
	text := configuration(read)
	if s.updated.status == http.StatusOK {
		text += "resource \"convo_session_agent\" \"test\" {\nsession_id = " + hcl(s.sessionID) + "\n}\n"
	}
	applied := result{problem: "nothing was read"}
	if len(read) > 0 {
		applied = s.apply(text)
	} else { // The log then has the provider's message about the workspace.
		s.fault("nothing was read (workspace: %s): check CONVO_TOKEN, CONVO_BASE_URL, and CONVO_TEST_WORKSPACE_ID", refusal(s.workspace))
		s.settings = append(s.settings, "CONVO_MAX_RETRIES=0")
		s.apply(configuration(s.objects()[:1]))
	}
	if applied.problem == "" {
		s.read = len(read)
	}
	s.observeIn(applied.problem, "Warnings", "none", applied.warnings, "The text of the warning")
	s.observeAudit(applied)
	s.observeFunctions(applied)
	isChanged := s.compare(read, applied)
	planned := "empty"
	if applied.problem == "" {
		planned = s.plan()
	}
	if planned != "empty" && !isChanged {
		s.fault("the plan after an apply is %s", planned)
	}
	session, isUpdated := applied.values["convo_session_agent.test"]
	if isUpdated && session["message"] != s.updated.body["message"] {
		s.fault("convo_session_agent: message differs from the response")
	}
	s.observeIn(applied.problem, "Plan after an apply", "empty", planned,
		"Run the tests again, if the service changed meanwhile")
	log, _ := os.ReadFile(filepath.Join(s.directory, "requests.log"))
	sent, limited := bytes.Count(log, []byte("Sent a request")), bytes.Count(log, []byte("status=429"))
	s.observe("Rate limits", "unknown", fmt.Sprintf("%d of the provider's %s had status 429", limited, quantity(sent, "request")),
		"`max_requests_per_second` in the provider block")
}

// observeAudit describes the audit.
func (s *suite) observeAudit(applied result) {
	values := applied.values["data.convo_workspace_audit.test"]
	var problems []string
	list, _ := values["problems"].([]any)
	for _, p := range list {
		text := fmt.Sprintf("`%v`, %v", member(p, "kind"), member(p, "operation"))
		if status := member(p, "status"); status != nil {
			text += fmt.Sprintf(", %v", status)
		}
		problems = append(problems, text)
	}
	agents, _ := values["agents"].(map[string]any)
	var workspaces []string
	for _, agent := range agents {
		switch ref := member(agent, "workspace_ref"); ref {
		case nil:
			workspaces = append(workspaces, "unknown, because no definition names it")
		case member(values, "workspace", "id"), member(values, "workspace", "slug"):
			workspaces = append(workspaces, "the audited one")
		default:
			workspaces = append(workspaces, "another one")
		}
	}
	audit := cmp.Or(s.audited().problem(), applied.problem)
	s.observeIn(audit, "Problems of an audit", "none", counted(problems, "none"),
		"\"Incomplete Audits\" on the page of `convo_workspace_audit`")
	s.observeIn(audit, "Workspace of the listed agents", "the audited one", counted(workspaces, "no agent is listed"),
		"\"Agents of Another Workspace\" on the page of `convo_workspace_audit`")
	s.observeIn(audit, "Findings of `audit_report`", "none", counted(applied.outputs["rules"], "none"),
		"The page of `audit_report`")
	if values != nil && len(agents) != len(listed(s.list)) {
		s.fault("convo_workspace_audit: %d agents, but the list has %d", len(agents), len(listed(s.list)))
	}
}

// observeFunctions describes what the functions return for the definitions.
func (s *suite) observeFunctions(applied result) {
	findings := "no definition was read"
	if kinds, exists := applied.outputs["findings"]; exists {
		findings = "findings: " + counted(kinds, "none")
	}
	s.observeIn(applied.problem, "Functions with the definitions", "no error", findings,
		"The page of `graph_findings`")
	for _, fault := range applied.outputs["faults"] {
		s.fault("%s", fault)
	}
}

// compare compares attributes with the responses, without fields that the service changes
// between two reads. It reports whether it changes what can be recorded.
func (s *suite) compare(objects []object, applied result) bool {
	isChanged := false
	var changed, undocumented []string
	nulls := map[string][]string{}
	for _, o := range objects {
		attributes := applied.values[o.address()]
		if o.kind == "convo_workspace_audit" || attributes == nil {
			continue
		}
		raw, again := fields(o.raw, o.key), fields(s.again(o.raw, s.token), o.key)
		for name, value := range raw {
			if !reflect.DeepEqual(again[name], value) {
				delete(raw, name)
				changed = append(changed, word(name)+" of `"+o.kind+"`")
				isChanged = isChanged || o.kind != "convo_workspace" && o.kind != "convo_agent_stats"
			}
		}
		for _, path := range undocumentedIn(raw, attributes, "") {
			undocumented = append(undocumented, path+" of `"+o.kind+"`")
		}
		for _, name := range differences(raw, attributes) {
			s.fault("%s: %s differs from the response", o.kind, name)
		}
		delete(attributes, "query") // These are arguments.
		delete(attributes, "get_default")
		nulls[o.kind] = append(nulls[o.kind], nullsIn(attributes, "")...)
	}
	s.observeIn(applied.problem, "Fields that differ in two reads", "none", counted(changed, "none"),
		"Do not compare them")
	s.observeIn(applied.problem, "Undocumented fields", "none needed", counted(undocumented, "none"),
		"`definition_json` of `convo_agent`, for fields of a definition")
	for _, read := range []struct {
		kind string
		response
	}{{"convo_workspace", s.workspace}, {"convo_members", s.members}, {"convo_agents", s.list}, {"convo_agent", s.agent.definition}} {
		s.observeIn(cmp.Or(read.problem(), applied.problem), "Null attributes of `"+read.kind+"`", "null if missing", counted(nulls[read.kind], "none"), missingValues)
	}
	return isChanged
}

// undocumentedIn returns the paths of fields that have no attribute. All elements of a list have the same attributes.
func undocumentedIn(raw, attributes any, path string) []string {
	var found []string
	switch raw := raw.(type) {
	case map[string]any:
		all, isObject := attributes.(map[string]any)
		for name, value := range raw {
			attribute, exists := all[attributeName(name)]
			_, isJSON := all[attributeName(name)+"_json"]
			inner := strings.TrimPrefix(path+"."+name, ".")
			switch {
			case exists:
				found = append(found, undocumentedIn(value, attribute, inner)...)
			case isObject && !isJSON:
				found = append(found, word(inner))
			}
		}
	case []any:
		if list, _ := attributes.([]any); len(list) > 0 {
			for _, element := range raw {
				found = append(found, undocumentedIn(element, list[0], path+"[]")...)
			}
		}
	}
	return found
}

// nullsIn returns the paths of attributes that are null.
func nullsIn(value any, path string) []string {
	var found []string
	switch value := value.(type) {
	case nil:
		return []string{"`" + strings.TrimPrefix(path, ".") + "`"}
	case map[string]any:
		for name, inner := range value {
			found = append(found, nullsIn(inner, path+"."+name)...)
		}
	case []any:
		for _, inner := range value {
			found = append(found, nullsIn(inner, path+"[]")...)
		}
	}
	return found
}

// fields returns the fields of a response, and those of the object under a key.
func fields(r response, key string) map[string]any {
	all := map[string]any{}
	maps.Copy(all, r.body)
	delete(all, key)
	object, _ := r.body[key].(map[string]any)
	maps.Copy(all, object)
	return all
}

var capital = regexp.MustCompile(`[A-Z]`)

func attributeName(field string) string {
	return strings.ToLower(capital.ReplaceAllString(field, "_$0"))
}

// differences returns the names of attributes that do not have the values of the fields.
func differences(raw, attributes map[string]any) []string {
	var found []string
	for field, rawValue := range raw {
		name := attributeName(field)
		value, exists := attributes[name]
		if text, isText := attributes[name+"_json"].(string); isText {
			exists = json.Unmarshal([]byte(text), &value) == nil
		}
		if exists && !isSame(rawValue, value) {
			found = append(found, name)
		}
	}
	return found
}

// isSame reports whether a value of a response is that of an attribute. Lists can have another order.
func isSame(raw, value any) bool {
	switch value := value.(type) {
	case map[string]any:
		object, isObject := raw.(map[string]any)
		return isObject && len(differences(object, value)) == 0
	case []any:
		list, isList := raw.([]any)
		left := slices.Clone(value)
		for _, element := range list {
			i := slices.IndexFunc(left, func(v any) bool { return isSame(element, v) })
			if i < 0 {
				return false
			}
			left = slices.Delete(left, i, i+1)
		}
		return isList && len(left) == 0
	case string:
		if _, isText := raw.(string); !isText {
			var decoded any // The attribute has the JSON text.
			return json.Unmarshal([]byte(value), &decoded) == nil && reflect.DeepEqual(raw, decoded)
		}
	}
	return reflect.DeepEqual(raw, value)
}

// cli runs a command in the directory of the configuration, and returns what it printed.
func (s *suite) cli(arguments ...string) (string, error) {
	variables := slices.Concat(s.settings, []string{
		"CONVO_BASE_URL=" + s.baseURL, "CONVO_TOKEN=" + s.token,
		"TF_INPUT=0", "TF_LOG_PROVIDER=DEBUG", "TF_LOG_PATH=" + filepath.Join(s.directory, "requests.log"),
	})
	var output strings.Builder
	run := *scratch
	run.Stdout, run.Stderr = &output, &output
	err := run.Run(s.Context(), s.directory, variables, arguments...)
	if arguments[0] != "show" { // It shows everything that was read, with secrets.
		_, _ = fmt.Fprintf(s.log, "%s:\n%s\n", strings.Join(arguments, " "), &output)
	}
	return output.String(), err
}

// summaries returns the summaries of errors or warnings in JSON, which are texts of the provider or of the CLI.
func summaries(output, severity string) string {
	var texts []string
	for line := range strings.Lines(output) {
		var message struct {
			Diagnostic struct{ Severity, Summary string }
		}
		_ = json.Unmarshal([]byte(line), &message)
		if found := message.Diagnostic; found.Severity == severity && !slices.Contains(texts, found.Summary) {
			texts = append(texts, found.Summary)
		}
	}
	return counted(texts, "none")
}

// result is what an apply wrote to the state.
type result struct {
	problem  string                    // why it wrote nothing, or ""
	values   map[string]map[string]any // by address
	outputs  map[string][]string
	warnings string
}

// apply applies a configuration.
func (s *suite) apply(configuration string) result {
	const header = "terraform {\nrequired_providers {\nconvo = { source = \"convo/convo\" }\n}\n}\n"
	if err := os.WriteFile(filepath.Join(s.directory, "main.tf"), []byte(header+configuration), 0o600); err != nil {
		s.Fatal(err)
	}
	if output, err := s.cli("init"); err != nil {
		s.Fatalf("init: %v\n%s", err, output)
	}
	output, err := s.cli("apply", "-json", "-auto-approve")
	if err != nil {
		s.fault("apply: %s", summaries(output, "error"))
		return result{problem: "the apply failed"}
	}
	var state struct {
		Values struct {
			Outputs map[string]struct{ Value []string }
			Module  struct {
				Resources []struct {
					Address string
					Values  map[string]any
				}
			} `json:"root_module"`
		}
	}
	warnings := summaries(output, "warning")
	output, _ = s.cli("show", "-json")
	if err := json.Unmarshal([]byte(output), &state); err != nil {
		s.Fatalf("show: %v", err)
	}
	applied := result{"", map[string]map[string]any{}, map[string][]string{}, warnings}
	for _, r := range state.Values.Module.Resources {
		applied.values[r.Address] = r.Values
	}
	for name, output := range state.Values.Outputs {
		applied.outputs[name] = output.Value
	}
	return applied
}

// planChanges matches the addresses, attributes, and outputs that a plan changes, and the kinds of recorded changes. OpenTofu
// also lists write-only attributes.
var planChanges = regexp.MustCompile(`(?m)^(?:  # (\S+) (?:will|must)| +\+ what += "(.*)"|(?: {2}| {6})[~+-] (\w+) += (?:[^(]|\([^w]))`)

// plan plans again, and returns what the plan changes, without values.
func (s *suite) plan() string {
	output, err := s.cli("plan", "-json", "-detailed-exitcode", "-out=plan")
	if err == nil {
		return "empty"
	}
	text, err := s.cli("show", "-no-color", "plan")
	if err != nil {
		return "an error: " + summaries(output, "error")
	}
	var names []string
	for _, match := range planChanges.FindAllStringSubmatch(text, -1) {
		names = append(names, strings.Join(match[1:], ""))
	}
	return "not empty: " + strings.Join(names, ", ")
}
