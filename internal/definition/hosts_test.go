// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hostsIn returns the hosts of a definition with a text at a place.
func hostsIn(t *testing.T, definition, text string) []string {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return digestOf(t, strings.Replace(definition, "TEXT", string(quoted), 1)).Hosts
}

// Hosts of a URL alone were compared with the class URL of Node.js.
func TestHostsThatAreSeen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"ftp://host.example:21/":                                                   {"host.example"},
		"http://host.example:443":                                                  {"host.example:443"},
		"https://%62%C3%BCcher%E3%80%82example":                                    {"xn--bcher-kva.example"},
		"https://straße.example:8443":                                              {"xn--strae-oqa.example:8443"},
		"HTTPS://Host.Example:443":                                                 {"host.example"},
		"ws://host.example:81":                                                     {"host.example:81"},
		"https://bu\u0308cher.example.:443":                                        {"xn--bcher-kva.example"},
		"https://Bücher.example":                                                   {"xn--bcher-kva.example"},
		"wss://Host.example:443":                                                   {"host.example"},
		"https://[2001:DB8::0:1]:443/":                                             {"[2001:db8::1]"},
		`https:\/\/h.example`:                                                      {"h.example"},
		"https://a_b.example":                                                      {"a_b.example"},
		"https://xn--bcher-kva.example":                                            {"xn--bcher-kva.example"},
		"https://a.example?x&amp;y":                                                {"a.example"},
		"https://a.example?q=https://b.example#x":                                  {"a.example", "b.example"},
		"https://user:p,(w@a.example:8443/x@b.example":                             {"a.example:8443"},
		"https://a.example.\nhttps://a.example:\u00a0x":                            {"a.example"},
		"https://[2001:DB8::1]:8080/x https://[::1]":                               {"[2001:db8::1]:8080", "[::1]"},
		"https:// and https: and http:80 or https://<host>/":                       {},
		"tel:1 sms:2 javascript:3 rows://a views://b whatsapp://send":              {},
		"https://a.example|Label":                                                  {"a.example"},
		"https://a.example\u00a0x":                                                 {"a.example"},
		`<img src="//a.example/x"> url(//b.example) src=//c.example`:               {"a.example", "b.example", "c.example"},
		"“https://a.example” 详见https://b.example，谢谢":                               {"a.example", "b.example"},
		"{url: [https://a.example], b: https://b.example}":                         {"a.example", "b.example"},
		"postgres://u:p@a.example:5432/x (git+ssh://b.example) 'ftps://c.example'": {"a.example:5432", "b.example", "c.example"},
		`url("data:image/svg+xml,%3Csvg xmlns='http://a.example' %3E%3Cpath/%3E%3C/svg%3E") https://b.example`: {"b.example"},
		"https://a.example,https://b.example\nhttps://c.example":                                               {"a.example", "b.example", "c.example"},
		"see https://good.example,@evil.example/":                                                              {"evil.example"},
		`{"url": "https://a.example"}`:                                                                         {"a.example"},
		"See http://b.example, (https://a.example) or ftp://c":                                                 {"a.example", "b.example"},
		"<a href='https://a.example'>https://b.example</a>":                                                    {"a.example", "b.example"},
		"https://a.example**":                                                                                  {"a.example"},
		"https://{{Host}}:{{Port}}/x https://{{region}}.example https://a.example/{{b}}":                       {"a.example"},
		"let a = 1, // none\n b = f( //none":                                                                   {},
		"Your data: https://a.example, DATA:x https://b.example":                                               {"a.example", "b.example"},
		`url("DATA:image/svg+xml,<svg xmlns='http://a.example'/>") https://b.example`:                          {"b.example"},
		"https://sec%2Fret@a.example":                                                                          {"a.example"},
		"https://a.example&b=1 u=https://b.example&c=1":                                                        {"a.example", "b.example"},
		"data:image/svg+xml;utf8,<?xml version='1.0'?><svg xmlns='http://a.example/svg'><!-- https://a.example --><path/></svg>": {},
		"//a.example a.example //b.example news://c": {"a.example"},
		"data:image%2Fsvg%2Bxml%2C%3Csvg%20xmlns%3D%22http%3A%2F%2Fa.example%22%2F%3E data%3Aimage/svg+xml,%3Csvg xmlns=%22http%3A//b.example%22/%3E": {},
	} {
		for _, definition := range []string{
			`{"graph":{"nodes":[{"a":["x",TEXT]}]}}`, `{"graph":{"memory":[{"value":TEXT}]}}`, `{"graph":{"links":[TEXT]}}`,
			`{"canvas":{"appearance":{"css":TEXT}}}`, `{"profile":{"icon":TEXT}}`, `{"integrations":{"new":TEXT}}`, `{"unknown":{"a":TEXT}}`,
			`{"exposure":{"access":{"hook":TEXT}}}`, `{"safeguards":[TEXT]}`, `{"execution":TEXT}`, `{"graph":{"nodes":[{TEXT:1}]}}`,
		} {
			if diff := cmp.Diff(want, hostsIn(t, definition, text)); diff != "" {
				t.Errorf("%s: %q: unexpected hosts (-want +got):\n%s", definition, text, diff)
			}
		}
	}
	// These are recorded by themselves.
	for _, definition := range []string{
		`{"ref":{"publicKey":TEXT}}`, `{"exposure":{"access":{"url":TEXT,"domain":"//b","share":{"rules":["https://c"]}}}}`,
		`{"safeguards":{"security":{"origins":[TEXT]}}}`, `{"tenancy":{"workspace":{"collaborators":[TEXT]}}}`,
	} {
		if hosts := hostsIn(t, definition, "https://a.example"); len(hosts) > 0 {
			t.Errorf("%s: unexpected hosts %s", definition, hosts)
		}
	}
}

// What cannot be parsed is not another host, and shows no password.
func TestHostsThatCannotBeParsed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"https://a.example:99999", "https://api:Secret", "https://[::1%25secret]/", "https://1.2.3.4.5"} {
		if hosts := hostsIn(t, `{"graph":{"nodes":[TEXT]}}`, text); len(hosts) > 0 {
			t.Errorf("%.50q: got %q", text, hosts)
		}
	}
}

// Keys can say that a value is a URL or a host.
func TestHostsWithoutAScheme(t *testing.T) {
	t.Parallel()
	for definition, want := range map[string][]string{
		`{"graph":{"nodes":[{"url":"Evil.example/x","webhookURL":"localhost:3000","text":"other.example","baseUrl":["b.example"]}]}}`:                                                                                     {"b.example", "evil.example", "localhost:3000"},
		`{"graph":{"nodes":[{"url":"/x"},{"url":"#x"},{"url":"../x"},{"url":"tel:+1"},{"url":"a b.example"},{"url":"javascript:a.b"},{"url":"none"},{"url":""}]}}`:                                                        {},
		`{"graph":{"nodes":[{"smtpHost":"a.example","HREF":"b.example/x","uri":"c.example","urls":["d.example"],"hosts":["e.example"],"ghosts":"none","links":"x.y"}]}}`:                                                  {"a.example", "b.example", "c.example", "d.example", "e.example"},
		`{"execution":{"endpoint":"/x.y","domain":"shop","webhook":"Yes. No.","hostname":"v1.2","apiServers":["17"],"uri":"b/logo.example","":"a.b","s":"a.b","x":"endpoint.example"}}`:                                   {},
		`{"execution":{"endpoint":"a.example/x","apiServer":"b.example:8080","domains":["c.example",{"x":1},"D.example."],"origin":"10.0.0.7","hostname":"bücher.example","url":"good.example","uri":"e.example is it"}}`: {"10.0.0.7", "a.example", "b.example:8080", "c.example", "d.example", "e.example", "good.example", "xn--bcher-kva.example"},
		`{"execution":{"url":"169.254.43518","host":"45.33.7","server":"[::1]"}}`:                                                                                                                                         {"169.254.169.254", "45.33.0.7", "[::1]"},
	} {
		if diff := cmp.Diff(want, digestOf(t, definition).Hosts); diff != "" {
			t.Errorf("%s: unexpected hosts (-want +got):\n%s", definition, diff)
		}
	}
}
