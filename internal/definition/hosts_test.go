// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition_test

import (
	"encoding/json"
	"regexp"
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
		"ftp://host.example:21/":                                      {"host.example"},
		"https://h\u00adost.example":                                  {"host.example"},
		"https://еvil.example":                                        {"xn--vil-qdd.example"},
		"https:///h.example/x":                                        {"h.example"},
		"http://host.example:443":                                     {"host.example:443"},
		"https://%62%C3%BCcher%E3%80%82example":                       {"xn--bcher-kva.example"},
		"https://straße.example:8443":                                 {"xn--strae-oqa.example:8443"},
		"https:/h.example":                                            {"h.example"},
		"https://good.exİmple/":                                       {"good.xn--eximple-8he"},
		"HTTPS://Host.Example:443":                                    {"host.example"},
		"ws://host.example:81":                                        {"host.example:81"},
		"https://bu\u0308cher.example.:443":                           {"xn--bcher-kva.example"},
		"https:h.example?x":                                           {"h.example"},
		"https://a@b@evil.example":                                    {"evil.example"},
		"https://2130706433/":                                         {"127.0.0.1"},
		"https://Bücher.example":                                      {"xn--bcher-kva.example"},
		" \x00https://h.example":                                      {"h.example"},
		"wss://Host.example:443":                                      {"host.example"},
		"https://0x7f.1/":                                             {"127.0.0.1"},
		`https:\\h.example`:                                           {"h.example"},
		"https://host.example:0443/":                                  {"host.example"},
		"https://h%6Fst.example":                                      {"host.example"},
		"https://[2001:DB8::0:1]:443/":                                {"[2001:db8::1]"},
		`https:\/\/h.example`:                                         {"h.example"},
		`https:/\/h.example\x`:                                        {"h.example"},
		"https://a_b.example":                                         {"a_b.example"},
		"https://xn--bcher-kva.example":                               {"xn--bcher-kva.example"},
		"https://a.example?x&amp;y":                                   {"a.example"},
		"https://a.example?q=https://b.example#x":                     {"a.example", "b.example"},
		"https://user:p,(w@a.example:8443/x@b.example":                {"a.example:8443"},
		"https://a.example.\nhttps://a.example:\u00a0x":               {"a.example"},
		"https://{{a@b}}.evil.example":                                {"{{a@b}}.evil.example"},
		"https://[2001:DB8::1]:8080/x https://[::1]":                  {"[2001:db8::1]:8080", "[::1]"},
		"https:// and https: and http:80 or https://<host>/":          {},
		`\\a.example\x`:                                               {"a.example"},
		"tel:1 sms:2 javascript:3 rows://a views://b whatsapp://send": {},
		"/login?next=https%3A%2F%2Fa.example%2Fx":                     {"a.example"},
		"https://a.example|Label":                                     {"a.example"},
		"https://a.example\u00a0x":                                    {"a.example"},
		"http://{{a}}:80/x http://b{}{{a}}:{{b}}":                     {"b{}{{a}}:{{b}}", "{{a}}"},
		`<img src="//a.example/x"> url(//b.example) src=//c.example`:  {"a.example", "b.example", "c.example"},
		"“https://a.example” 详见https://b.example，谢谢":                  {"a.example", "b.example"},
		"https://{{a/b}}.evil.example:443":                            {"{{a/b}}.evil.example"},
		"{url: [https://a.example], b: https://b.example}":            {"a.example", "b.example"},
		"postgres://u:p@a.example:5432/x (git+ssh://b.example) 'ftps://c.example'":                             {"a.example:5432", "b.example", "c.example"},
		"https&#58;&#x2F;&sol;a.example&sol;x":                                                                 {"a.example"},
		`url("data:image/svg+xml,%3Csvg xmlns='http://a.example' %3E%3Cpath/%3E%3C/svg%3E") https://b.example`: {"b.example"},
		"https://a.example,https://b.example\nhttps://c.example":                                               {"a.example", "b.example", "c.example"},
		"see https://good.example,@evil.example/":                                                              {"evil.example"},
		`{"url": "https://a.example"}`:                                                                         {"a.example"},
		`https://good.example\/x@b "https:\\good.example\x@`:                                                   {"good.example"},
		`https:\u002f\u002fa.example\u002Fx`:                                                                   {"a.example"},
		`<img src="https&#58//a.example"> &#104ttps://b.example`:                                               {"a.example", "b.example"},
		"See http://b.example, (https://a.example) or ftp://c":                                                 {"a.example", "b.example", "c"},
		"<a href='https://a.example'>https://b.example</a>":                                                    {"a.example", "b.example"},
		"https://a.example**":                                                                                  {"a.example"},
		"https://{{Host}}:{{Port}}":                                                                            {"{{host}}:{{port}}"},
		"let a = 1, // none\n b = f( //none":                                                                   {},
		"Your data: https://a.example, DATA:x https://b.example":                                               {"a.example", "b.example"},
		"https://{{Sub}}.example.com/x":                                                                        {"{{sub}}.example.com"},
		`url("data:image/svg+xml,<svg xmlns='http://a.example'/>") https://b.example`:                          {"b.example"},
		"https://sec%2Fret@a.example":                                                                          {"a.example"},
		"https://a.example&b=1 u=https://b.example&c=1":                                                        {"a.example", "b.example"},
		"https://{{a}}:8080/x https://{{b}}:80/x":                                                              {"{{a}}:8080", "{{b}}:80"},
		"data:image/svg+xml;utf8,<?xml version='1.0'?><svg xmlns='http://a.example/svg'><!-- https://a.example --><path/></svg>": {},
		"https://{{user}}:{{pass/word}}@a.example":   {"a.example"},
		"//a.example a.example //b.example news://c": {"a.example"},
		"data:image%2Fsvg%2Bxml%2C%3Csvg%20xmlns%3D%22http%3A%2F%2Fa.example%22%2F%3E data%3Aimage/svg+xml,%3Csvg xmlns=%22http%3A//b.example%22/%3E": {},
		`https://{{ a["b"] }}:80/x https://${host}/`: {"${host}", `{{ a["b"] }}:80`},
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

// Clients can read other hosts in these, after the comments. Most are spellings of authors who hide a
// host, which they can also do by building it from parts.
func TestHostsThatAreNotPromised(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"https://api:1234'x@host.example":                                                    {"api:1234"},                                                                         // host.example
		"https://ｈost。example":                                                               {"host"},                                                                             // host.example
		"https://good.example<>@evil.example?@c":                                             {"good.example"},                                                                     // evil.example
		"https://good @evil.example://x":                                                     {"good"},                                                                             // evil.example
		"https://api:Secret'x@host.example":                                                  {"unreadable URL (SHA-256 bf270ba9f576a6063e0975e498b52433)"},                        // host.example
		"https://good.example!.evil\u00ad.example/":                                          {"good.example"},                                                                     // good.example!.evil.example
		"https://{not/":                                                                      {},                                                                                   // {not
		"https\n://h\r\n.example":                                                            {},                                                                                   // h.example
		`https://good.example"@evil.example`:                                                 {"good.example"},                                                                     // evil.example
		"https://a_ü.example/":                                                               {"unreadable URL (SHA-256 34d4aae3093ca03c99f557bc1f308ecf)"},                        // xn--a_-yka.example
		"https://good @evil.example/":                                                        {"good"},                                                                             // evil.example
		"https://ｂü\u00adcher。example":                                                       {"xn--bcher-kva"},                                                                    // xn--bcher-kva.example
		"ht\ttps://h.exa\tmple/x":                                                            {"h.exa"},                                                                            // h.example
		"https://good.example\t@evil.example/":                                               {"good.example"},                                                                     // evil.example
		"https://good.example,x.evil.example/":                                               {"good.example"},                                                                     // good.example,x.evil.example
		`fetch("\u{68}ttps://a.example"), fetch("https:\u{2f}/b.example")`:                   {"a.example"},                                                                        // a.example, b.example
		"https://{{Ä.b}}{{c}}。Bü{{ö}}.example:8443":                                          {"{{ä.b}}{{c}}"},                                                                     // {{ä.b}}{{c}}.xn--b{{ö}}-hoa.example:8443
		`data:0,fetch("https://a.example/x")`:                                                {},                                                                                   // a.example
		`https://evil.example\u0040good.example`:                                             {"evil.example"},                                                                     // evil.example, good.example
		"<img srcset='//a.example/1 1x,//b.example/2 2x'>":                                   {"a.example"},                                                                        // a.example, b.example
		"data:x/y,<a href=https://a.example>":                                                {},                                                                                   // a.example
		"\ufeff\u00a0https:a.example":                                                        {},                                                                                   // a.example
		`https\x3a//a.example`:                                                               {},                                                                                   // a.example
		"/login?to=%2F%2Fa.example":                                                          {},                                                                                   // a.example
		"fetch(`https:evil.example`)":                                                        {},                                                                                   // evil.example
		"https://good.example\t@evil.ws://x":                                                 {"good.example"},                                                                     // evil.ws, x
		"https://b.example/?u=https%3a//c%c3%bc.example":                                     {"b.example"},                                                                        // b.example, xn--c-eha.example
		`see https://good.example\x@b@evil.example:81.`:                                      {"good.example"},                                                                     // evil.example:81, good.example
		"[a]: https:a.example [b]: https://b.example":                                        {"b.example"},                                                                        // a.example, b.example
		"https://Ünï.example/ https://xn--A.example.":                                        {"unreadable URL (SHA-256 773b90d6ca0a63f9ca5ae4865c2756af)", "xn--n-nga1b.example"}, // xn--a.example, xn--n-nga1b.example
		`https://good.example\@evil.example`:                                                 {"good.example"},                                                                     // evil.example, good.example
		`fetch("\t//a.example")`:                                                             {},                                                                                   // a.example
		"mailto:a@B.example,c%40d.example?cc=e@f.example":                                    {"b.example"},                                                                        // b.example, d.example, f.example
		"https://b.example/?u=https%253A%252F%252Fa.example/":                                {"b.example"},                                                                        // a.example, b.example
		"<a href=https:a.example> <a href = https:b.example> <meta content=0;url=https:c.x>": {},                                                                                   // a.example, b.example, c.x
		`<img src= //a.example> <img srcset="b.png 1x, //b.example/b.png 2x"> url( //c.example ) [a]: //d.example`: {"a.example", "c.example"}, // a.example, b.example, c.example, d.example
		"https://a.example is new, ask @bob":                              {"a.example"}, // a.example, bob
		`@import "\68 ttps:a.example"; a { b: url(\2f\00002Fb.example) }`: {},            // a.example, b.example
		"/\t/a.example": {}, // a.example
		"https://good.example&sol;@evil.example/":                   {"good.example"}, // evil.example, good.example
		"https://{not closed https://{{a/b}}/":                      {"{{a/b}}"},      // {not, {{a/b}}
		`import("data:text/javascript,fetch('https://a.example')")`: {},               // a.example
		"data:image/svg+xml,<svg>https://a.example":                 {},               // a.example
		"/login?to=https:%2F%2Fa.example":                           {},               // a.example
		`<a href="https://good @evil.example">`:                     {"good"},         // evil.example
		`[a](https:evil.example) ![b](https://b.example "B")`:       {"b.example"},    // b.example, evil.example
		"data:text/html,%3Cscript%20src=%22//a.example/x%22%3E":     {},               // a.example
	} {
		if diff := cmp.Diff(want, hostsIn(t, `{"graph":{"nodes":[TEXT]}}`, text)); diff != "" {
			t.Errorf("%q: unexpected hosts (-want +got):\n%s", text, diff)
		}
	}
}

// What cannot be parsed is neither dropped nor another host, and shows no password.
func TestHostsThatCannotBeParsed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, text := range []string{
		"https://a.example:99999", "https://a.example:99998", "https://api:Secret", "https://api:Secret{{x}}",
		"https://[::1%25secret]/", "https://1.2.3.4.5",
	} {
		hosts := hostsIn(t, `{"graph":{"nodes":[TEXT]}}`, text)
		if len(hosts) != 1 || !regexp.MustCompile(`^unreadable URL \(SHA-256 [0-9a-f]{32}\)$`).MatchString(hosts[0]) || seen[hosts[0]] {
			t.Errorf("%.50q: got %q", text, hosts)
			continue
		}
		seen[hosts[0]] = true
	}
}

// Keys can say that a value is a URL or a host, and values of variables are hosts of URLs.
func TestHostsWithoutAScheme(t *testing.T) {
	t.Parallel()
	for definition, want := range map[string][]string{
		`{"graph":{"nodes":[{"url":"Evil.example/x","webhookURL":"localhost:3000","text":"other.example","baseUrl":["b.example"]}]}}`:                                                                                                                  {"b.example", "evil.example", "localhost:3000"},
		`{"graph":{"nodes":[{"url":"/x"},{"url":"#x"},{"url":"../x"},{"url":"tel:+1"},{"url":"a b.example"},{"url":"javascript:a.b"},{"url":"none"},{"url":""}]}}`:                                                                                     {},
		`{"graph":{"memory":[{"name":"S","value":"https"},{"name":"H","value":"a.example"},{"name":"H","value":"b.example"}],"nodes":[{"url":"{{S}}://{{H}}/x"}]}}`:                                                                                    {"a.example", "b.example", "{{h}}"},
		`{"graph":{"memory":[{"name":"Host","value":"api.example"}],"nodes":["https://{{Host}}/x"]}}`:                                                                                                                                                  {"api.example", "{{host}}"},
		`{"graph":{"nodes":[{"smtpHost":"a.example","HREF":"b.example/x","uri":"c.example","urls":["d.example"],"hosts":["e.example"],"ghosts":"none","links":"x.y"}]}}`:                                                                               {"a.example", "b.example", "c.example", "d.example", "e.example"},
		`{"execution":{"endpoint":"/x.y","domain":"shop","webhook":"Yes. No.","origin":"index.html","hostname":"v1.2","apiServers":["17"],"url":"logo.png","uri":"b/logo.example","":"a.b","s":"a.b","x":"endpoint.example"}}`:                         {},
		`{"graph":{"nodes":[{"url":"{{ Base }}/x"}],"memory":[{"name":"Base","value":"api.example/v1"},{"name":"Other","value":"other.example"}]}}`:                                                                                                    {"api.example"},
		`{"graph":{"memory":[{"id":"v1","value":".example"},{"id":"v2","name":"b","value":"b.example"}],"nodes":[{"url":"https://api{{v1}}/x"},{"url":"{{a}}{{v2}}"}]}}`:                                                                               {"api{{v1}}", "b.example"},
		`{"execution":{"endpoint":"a.example/x","apiServer":"b.example:8080","domains":["c.example",{"x":1},"D.example."],"Webhooks":["ann@e.example"],"origin":"10.0.0.7","hostname":"bücher.example","url":"good.example","uri":"e.example is it"}}`: {"10.0.0.7", "a.example", "b.example:8080", "c.example", "d.example", "e.example", "good.example", "xn--bcher-kva.example"},
		`{"execution":{"url":"169.254.43518","host":"45.33.7","server":"[::1]"}}`:                                                                                                                                                                      {"169.254.169.254", "45.33.0.7", "[::1]"},
	} {
		if diff := cmp.Diff(want, digestOf(t, definition).Hosts); diff != "" {
			t.Errorf("%s: unexpected hosts (-want +got):\n%s", definition, diff)
		}
	}
}

// A long host is cut, and remains different from others.
func TestLongHosts(t *testing.T) {
	t.Parallel()
	hosts := hostsIn(t, `{"execution":TEXT}`, "http://"+strings.Repeat("-", 254)+".a http://"+strings.Repeat("-", 254)+".b")
	if len(hosts) != 2 || !regexp.MustCompile(`^-{253}… \(SHA-256 [0-9a-f]{32}\)$`).MatchString(hosts[0]) {
		t.Errorf("got %q", hosts)
	}
}
