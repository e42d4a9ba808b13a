// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package acceptance

import (
	"bytes"
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

// object is a data source or a resource, and the response with its values.
type object struct {
	mode, kind, name string
	arguments        string
	raw              response
	key              string // of the response, whose fields are attributes; "" if the keys themselves are
}

func (o object) address() string {
	return strings.TrimPrefix(o.mode+"."+o.kind+"."+o.name, "resource.")
}

func (o object) block(mode string) string {
	return fmt.Sprintf("%s %q %q {\n%s}\n", mode, o.kind, o.name, o.arguments)
}

// objects returns the objects, for those agents that were read.
func (s *suite) objects() []object {
	query := map[string]string{}
	for name := range s.agentQuery {
		query[name] = s.agentQuery.Get(name)
	}
	audited := s.workspace // Or the first of the three that the service refuses.
	for _, r := range []response{s.members, s.list} {
		if audited.status == http.StatusOK {
			audited = r
		}
	}
	workspace := "workspace_id = " + hcl(s.workspaceID) + "\n"
	auditArguments := workspace + "agent_query = " + hcl(query) + "\ninclude_graph_findings = true\nstats_periods = [\"today\", \"allTime\"]\n"
	all := []object{
		{"data", "convo_workspace", "test", workspace, s.workspace, "workspace"},
		{"data", "convo_members", "test", workspace, s.members, ""},
		{"data", "convo_agents", "test", "query = " + hcl(query) + "\n", s.list, ""},
		{"data", "convo_workspace_audit", "test", auditArguments, audited, ""},
	}
	for i, a := range s.agents {
		name, id := fmt.Sprintf("agent_%d", i), "agent_id = "+hcl(a.id)+"\n"
		all = append(all,
			object{"data", "convo_agent", name, id + "include_definition_json = true\n", a.definition, "agent"},
			object{"data", "convo_agent_stats", name, id + "period = \"allTime\"\n", a.stats, "stats"})
	}
	if s.sessionID != "" {
		updated := s.update(s.sessionID, "{}") // The session keeps its agent.
		s.observeIn(updated, "Session update without an agent", "`success`", word(updated.body["message"]), "The page of `convo_session_agent`")
		all = append(all, object{"resource", "convo_session_agent", "test", "session_id = " + hcl(s.sessionID) + "\n", updated, ""})
	}
	return all
}

// hcl returns a value as an expression.
func hcl(value any) string {
	text, _ := json.Marshal(value)
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(string(text))
}

const recordAddress = "convo_audit_record.test"

// recording is the configuration of an audit's record.
const recording = `
variable "accepted" {
  default = {}
}
resource "convo_audit_record" "test" {
  audit    = jsonencode(data.convo_workspace_audit.test)
  accepted = var.accepted
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
    [for d in local.definitions : "flow_diagram: no flowchart" if !startswith(provider::convo::flow_diagram(d), "flowchart")],
    [for d in local.definitions : "definition_diff: a difference from itself" if length(provider::convo::definition_diff(d, d)) > 0],
    [for e in provider::convo::review_report(local.definitions, {}).errors : "review_report: a definition that cannot be read"],
  )
}
`

// configuration returns the configuration of objects, which are ephemeral resources, too.
func configuration(objects []object) string {
	text, definitions := "", ""
	for _, o := range objects {
		text += o.block(o.mode)
		if o.mode == "data" {
			text += o.block("ephemeral")
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
	var read, refused []object
	var texts []string
	for _, o := range s.objects() {
		if o.raw.status == http.StatusOK {
			read = append(read, o)
			texts = append(texts, "`"+o.kind+"`")
		} else {
			refused = append(refused, o)
			texts = append(texts, "`"+o.kind+"` not read: "+refusal(o.raw))
		}
	}
	s.observe("Objects of the provider", "values of the responses", counted(texts, "none"),
		"If 400, CONVO_TEST_AGENT_QUERY; if 401, CONVO_TOKEN; if 404, the IDs")
	s.expectErrors(refused)
	d := s.newDirectory(configuration(read))
	result := d.apply()
	audit := result.response
	for _, o := range refused {
		if o.kind == "convo_workspace_audit" {
			audit = o.raw
		}
	}
	s.observeAudit(audit, result)
	findings := "no definition was read"
	if kinds, exists := result.outputs["findings"]; exists {
		findings = "findings: " + counted(kinds, "none")
	}
	s.observeIn(result.response, "Functions with the definitions", "no error", findings, "The page of `graph_findings`")
	for _, fault := range result.outputs["faults"] {
		s.fault("%s", fault)
	}
	isChanged := s.compare(read, result.values)
	planned := ""
	if result.status == http.StatusOK {
		planned = d.plan()
	}
	switch {
	case planned == "":
		planned = "empty"
	case isChanged:
		planned = "not empty, because the service changed meanwhile: " + planned
	default:
		planned = "not empty: " + planned
		s.fault("the plan after an apply is %s", planned)
	}
	s.observeIn(result.response, "Plan after an apply", "empty", planned, "Run the tests again")
	log, _ := os.ReadFile(filepath.Join(d.path, "requests.log"))
	sent, limited := bytes.Count(log, []byte("Sent a request")), bytes.Count(log, []byte("status=429"))
	s.observe("Rate limits", "unknown", fmt.Sprintf("%d of the provider's %d requests had status 429", limited, sent),
		"`max_requests_per_second` in the provider block")
}

// observeAudit describes the audit, if it was read.
func (s *suite) observeAudit(audit response, result result) {
	values := result.values["data.convo_workspace_audit.test"]
	var problems []string
	list, _ := values["problems"].([]any)
	for _, p := range list {
		text := fmt.Sprintf("`%v`, %v", member(p, "kind"), member(p, "operation"))
		if status := member(p, "status"); status != nil {
			text += fmt.Sprintf(", %v", status)
		}
		problems = append(problems, text)
	}
	const page = "The page of `convo_workspace_audit`"
	s.observeIn(audit, "Problems of an audit", "none", counted(problems, "none"), page)
	s.observeIn(audit, "Findings of `audit_report`", "none", counted(result.outputs["rules"], "none"), "The page of `audit_report`")
	workspace := "the audited one"
	switch foreign := member(values, "summary", "foreign_agents"); foreign {
	case nil:
		workspace = "unknown: no definition names it"
	case 0.0:
	default:
		workspace = fmt.Sprintf("another one for %v agents", foreign)
	}
	s.observeIn(audit, "Workspace of the listed agents", "the audited one", workspace, "\"Agents of Another Workspace\" there")
	ids := map[any]bool{nil: true}
	for _, summary := range listed(s.list) {
		ids[member(summary, "id")] = true
	}
	audited, _ := values["agents"].(map[string]any)
	if values != nil && len(audited) != len(ids)-1 {
		s.fault("convo_workspace_audit: %d agents, but the list has %d", len(audited), len(ids)-1)
	}
}

// expectErrors reads what the service refused, and expects the response's status in each error.
func (s *suite) expectErrors(refused []object) {
	text := ""
	for _, o := range refused {
		if o.mode == "data" {
			text += o.block("data")
		}
	}
	if text == "" {
		return
	}
	_, found, _ := s.newDirectory(text).cli("plan", "-json")
	for _, o := range refused {
		status := regexp.MustCompile(fmt.Sprintf(`\b%d\b`, o.raw.status))
		isExpected := func(f diagnostic) bool { return f.Address == o.address() && status.MatchString(f.Detail) }
		if o.mode == "data" && o.raw.status > 0 && !slices.ContainsFunc(found, isExpected) {
			s.fault("%s: the service returned %s, but the provider has no such error", o.kind, refusal(o.raw))
		}
	}
}

// compare compares attributes with the responses, without fields that the service changed
// meanwhile. It reports whether it changed a list or a definition.
func (s *suite) compare(objects []object, values map[string]map[string]any) bool {
	isChanged := false
	for _, o := range objects {
		if o.kind == "convo_workspace_audit" {
			continue
		}
		raw := fields(o.raw, o.key)
		again := fields(s.again(o.raw, s.token), o.key)
		for name, value := range raw {
			if o.mode == "data" && !reflect.DeepEqual(again[name], value) {
				delete(raw, name)
				isChanged = isChanged || o.kind == "convo_members" || o.kind == "convo_agents" || o.kind == "convo_agent"
			}
		}
		for _, name := range differences(raw, values[o.address()]) {
			s.fault("%s: %s differs from the response", o.kind, name)
		}
	}
	return isChanged
}

// fields returns the fields of a response, and those of the object under a key.
func fields(r response, key string) map[string]any {
	all := map[string]any{}
	maps.Copy(all, r.body)
	object, _ := r.body[key].(map[string]any)
	maps.Copy(all, object)
	return all
}

var capital = regexp.MustCompile(`[A-Z]`)

// differences returns the names of attributes that do not have the values of the fields.
func differences(raw, attributes map[string]any) []string {
	var found []string
	for field, rawValue := range raw {
		name := strings.ToLower(capital.ReplaceAllString(field, "_$0"))
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
	}
	return reflect.DeepEqual(raw, value)
}

// directory is a directory with a configuration.
type directory struct {
	*suite
	path string
}

// newDirectory writes a configuration, and installs the provider.
func (s *suite) newDirectory(configuration string) directory {
	const header = "terraform {\nrequired_providers {\nconvo = { source = \"convo/convo\" }\n}\n}\n"
	d := directory{s, s.TempDir()}
	d.write("main.tf", header+configuration)
	if output, _, err := d.cli("init"); err != nil {
		s.Fatalf("init: %v\n%s", err, output)
	}
	return d
}

func (d directory) write(name, content string) {
	if err := os.WriteFile(filepath.Join(d.path, name), []byte(content), 0o600); err != nil {
		d.Fatal(err)
	}
}

// diagnostic is an error or a warning of the CLI.
type diagnostic struct{ Severity, Summary, Detail, Address string }

// cli runs a command, and returns what it printed and the diagnostics in it.
func (d directory) cli(arguments ...string) ([]byte, []diagnostic, error) {
	variables := slices.Concat(d.settings, []string{
		"CONVO_BASE_URL=" + d.baseURL, "CONVO_TOKEN=" + d.token,
		"TF_INPUT=0", "TF_LOG_PROVIDER=DEBUG", "TF_LOG_PATH=" + filepath.Join(d.path, "requests.log"),
	})
	var output bytes.Buffer
	run := *scratch
	run.Stdout, run.Stderr = &output, &output
	err := run.Run(d.Context(), d.path, variables, arguments...)
	_, _ = fmt.Fprintf(d.log, "%s:\n%s\n", strings.Join(arguments, " "), &output)
	var found []diagnostic
	for line := range bytes.Lines(output.Bytes()) {
		var message struct{ Diagnostic diagnostic }
		if json.Unmarshal(line, &message) == nil && message.Diagnostic.Severity != "" {
			found = append(found, message.Diagnostic)
		}
	}
	return output.Bytes(), found, err
}

// summaries returns the different summaries of errors or warnings, which are texts of the provider or of the CLI.
func summaries(found []diagnostic, severity string) string {
	var texts []string
	for _, f := range found {
		if f.Severity == severity && !slices.Contains(texts, f.Summary) {
			texts = append(texts, f.Summary)
		}
	}
	return counted(texts, "none")
}

// acceptable matches the key of a finding that must be accepted.
var acceptable = regexp.MustCompile(`\b[a-z_]+/\S+/[a-z2-7]{24}\b`)

// result is what an apply wrote to the state. The response has the status 200 if it succeeded.
type result struct {
	response
	values  map[string]map[string]any // by address
	outputs map[string][]string
}

// apply applies the configuration. If there is a record, the first apply is refused, with keys to accept.
func (d directory) apply() result {
	_, found, err := d.cli("apply", "-json", "-auto-approve")
	accepted := map[string]string{}
	for _, f := range found {
		if f.Severity == "error" && f.Address == recordAddress {
			for _, key := range acceptable.FindAllString(f.Detail, -1) {
				accepted[key] = "make testacc"
			}
		}
	}
	if len(accepted) > 0 {
		d.write("accepted.auto.tfvars.json", `{"accepted":`+hcl(accepted)+`}`)
		_, found, err = d.cli("apply", "-json", "-auto-approve")
	}
	d.observe("Warnings", "none", summaries(found, "warning"), "The text of the warning")
	if err != nil {
		d.fault("apply: %s", summaries(found, "error"))
		return result{response: response{absent: "the apply failed"}}
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
	output, _, _ := d.cli("show", "-json")
	if err := json.Unmarshal(output, &state); err != nil {
		d.Fatalf("show: %v", err)
	}
	applied := result{response{status: http.StatusOK}, map[string]map[string]any{}, map[string][]string{}}
	for _, r := range state.Values.Module.Resources {
		applied.values[r.Address] = r.Values
	}
	for name, output := range state.Values.Outputs {
		applied.outputs[name] = output.Value
	}
	if applied.values[recordAddress] != nil && len(accepted) == 0 {
		d.fault("convo_audit_record: the first record was not refused")
	}
	return applied
}

// planChanges matches the addresses, attributes, and outputs that a plan changes, and the kinds of recorded changes.
var planChanges = regexp.MustCompile(`(?m)^(?:  # (\S+) (?:will|must)| +\+ what += "(.*)"|(?: {2}| {6})[~+-] (\w+) += )`)

// plan plans again, and returns what the plan changes, without values.
func (d directory) plan() string {
	_, found, err := d.cli("plan", "-json", "-detailed-exitcode", "-out=plan")
	if err == nil {
		return ""
	}
	text, _, err := d.cli("show", "-no-color", "plan")
	if err != nil {
		return "an error: " + summaries(found, "error")
	}
	var names []string
	for _, match := range planChanges.FindAllSubmatch(text, -1) {
		names = append(names, string(bytes.Join(match[1:], nil)))
	}
	return strings.Join(names, ", ")
}
