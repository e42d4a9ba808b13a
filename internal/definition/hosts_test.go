// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
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

// Each expectation was compared with the class URL of Node.js.
func TestHostsAsClientsReadThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https:///h.example/x":                      "h.example",
		"https:/h.example":                          "h.example",
		"https:h.example?x":                         "h.example",
		`https:\\h.example`:                         "h.example",
		`https:\/\/h.example`:                       "h.example",
		`https:/\/h.example\x`:                      "h.example",
		"ht\ttps://h.exa\tmple/x":                   "h.example",
		"https\n://h\r\n.example":                   "h.example",
		" \x00https://h.example":                    "h.example",
		"https://good @evil.example/":               "evil.example",
		"https://good.example\t@evil.example/":      "evil.example",
		`https://good.example"@evil.example`:        "evil.example",
		"https://good.example<>@evil.example?@c":    "evil.example",
		"https://a@b@evil.example":                  "evil.example",
		"https://good @evil.example://x":            "evil.example",
		"https://api:Secret'x@host.example":         "host.example",
		"https://api:1234'x@host.example":           "host.example",
		"https://good.example!.evil\u00ad.example/": "good.example!.evil.example",
		"https://a_ü.example/":                      "xn--a_-yka.example",
		"https://good.exİmple/":                     "good.xn--eximple-8he", // It has two lower cases.
		"https://good.example,x.evil.example/":      "good.example,x.evil.example",
		"HTTPS://Host.Example:443":                  "host.example",
		"https://host.example:0443/":                "host.example",
		"http://host.example:443":                   "host.example:443",
		"wss://Host.example:443":                    "host.example",
		"ws://host.example:81":                      "host.example:81",
		"ftp://host.example:21/":                    "host.example",
		"https://h%6Fst.example":                    "host.example",
		"https://ｈost。example":                      "host.example",
		"https://h\u00adost.example":                "host.example",
		"https://2130706433/":                       "127.0.0.1",
		"https://0x7f.1/":                           "127.0.0.1",
		"https://[2001:DB8::0:1]:443/":              "[2001:db8::1]",
		"https://a_b.example":                       "a_b.example",
		"https://{not/":                             "{not",
		"https://xn--bcher-kva.example":             "xn--bcher-kva.example",
		"https://Bücher.example":                    "xn--bcher-kva.example",
		"https://bu\u0308cher.example.:443":         "xn--bcher-kva.example",
		"https://ｂü\u00adcher。example":              "xn--bcher-kva.example",
		"https://%62%C3%BCcher%E3%80%82example":     "xn--bcher-kva.example",
		"https://straße.example:8443":               "xn--strae-oqa.example:8443",
		"https://еvil.example":                      "xn--vil-qdd.example", // The first letter is Cyrillic.
	} {
		if diff := cmp.Diff([]string{want}, hostsIn(t, `{"graph":{"nodes":[TEXT]}}`, text)); diff != "" {
			t.Errorf("%q: unexpected hosts (-want +got):\n%s", text, diff)
		}
	}
}

func TestHostsInTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"See http://b.example, (https://a.example) or ftp://c":   {"a.example", "b.example", "c"},
		"https://a.example?q=https://b.example#x":                {"a.example", "b.example"},
		"https://user:p,(w@a.example:8443/x@b.example":           {"a.example:8443"},
		"see https://good.example,@evil.example/":                {"evil.example"},
		"<a href='https://a.example'>https://b.example</a>":      {"a.example", "b.example"},
		`<a href="https://good @evil.example">`:                  {"evil.example"},
		"fetch(`https:evil.example`)":                            {"evil.example"},
		"[a](https:evil.example) ![b](https://b.example \"B\")":  {"b.example", "evil.example"},
		`{"url": "https://a.example"}`:                           {"a.example"},
		"{url: [https://a.example], b: https://b.example}":       {"a.example", "b.example"},
		"https://a.example,https://b.example\nhttps://c.example": {"a.example", "b.example", "c.example"},
		"https://a.example is new, ask @bob":                     {"a.example", "bob"}, // A client and a reader disagree.
		"“https://a.example” 详见https://b.example，谢谢":             {"a.example", "b.example"},
		"https://a.example|Label":                                {"a.example"},
		"https://a.example**":                                    {"a.example"},
		"https://a.example.\nhttps://a.example:\u00a0x":          {"a.example"},
		"https://a.example&b=1 u=https://b.example&c=1":          {"a.example", "b.example"},
		"https://Ünï.example/ https://xn--A.example.":            {"xn--a.example", "xn--n-nga1b.example"},
		"https://[2001:DB8::1]:8080/x https://[::1]":             {"[2001:db8::1]:8080", "[::1]"},
		"https:// and https: and http:80 or https://<host>/":     {},

		// Clients differ in whether a backslash ends the host, and readers in whether this is HTML.
		`https://good.example\@evil.example`:                 {"evil.example", "good.example"},
		`see https://good.example\x@b@evil.example:81.`:      {"evil.example:81", "good.example"},
		`https://good.example\/x@b "https:\\good.example\x@`: {"good.example"},
		"https://good.example&sol;@evil.example/":            {"evil.example", "good.example"},

		"https://good.example\t@evil.ws://x": {"evil.ws", "x"},
		"\ufeff\u00a0https:a.example":        {"a.example"},
		"<a href=https:a.example> <a href = https:b.example> <meta content=0;url=https:c.x>": {"a.example", "b.example", "c.x"},
		"[a]: https:a.example [b]: https://b.example":                                        {"a.example", "b.example"},
		`@import "\68 ttps:a.example"; a { b: url(\2f\00002Fb.example) }`:                    {"a.example", "b.example"},

		"https://a.example\u00a0x": {"a.example"},

		// Variables
		"https://{{Sub}}.example.com/x":              {"{{sub}}.example.com"},
		`https://{{ a["b"] }}:80/x https://${host}/`: {"${host}", `{{ a["b"] }}:80`},
		"https://{{user}}:{{pass/word}}@a.example":   {"a.example"},
		"https://{{a/b}}.evil.example:443":           {"{{a/b}}.evil.example"},
		"https://{{a@b}}.evil.example":               {"{{a@b}}.evil.example"},
		"https://{{Ä.b}}{{c}}。Bü{{ö}}.example:8443":  {"{{ä.b}}{{c}}.xn--b{{ö}}-hoa.example:8443"},
		"https://{{a}}:8080/x https://{{b}}:80/x":    {"{{a}}:8080", "{{b}}:80"},
		"http://{{a}}:80/x http://b{}{{a}}:{{b}}":    {"b{}{{a}}:{{b}}", "{{a}}"},

		"https://{{Host}}:{{Port}}":            {"{{host}}:{{port}}"},
		"https://{not closed https://{{a/b}}/": {"{not", "{{a/b}}"},

		// Other schemes
		"//a.example a.example //b.example news://c":                 {"a.example"},
		`<img src="//a.example/x"> url(//b.example) src=//c.example`: {"a.example", "b.example", "c.example"},
		`fetch("\t//a.example")`:                                     {"a.example"},
		"/\t/a.example":                                              {"a.example"},
		`<img src= //a.example> <img srcset="b.png 1x, //b.example/b.png 2x"> url( //c.example ) [a]: //d.example`:                                    {"a.example", "b.example", "c.example", "d.example"},
		"<img srcset='//a.example/1 1x,//b.example/2 2x'>":                                                                                            {"a.example", "b.example"},
		"let a = 1, // none\n b = f( //none":                                                                                                          {},
		`\\a.example\x`:                                                                                                                               {"a.example"},
		"mailto:a@B.example,c%40d.example?cc=e@f.example":                                                                                             {"b.example", "d.example", "f.example"},
		"tel:1 sms:2 javascript:3 rows://a views://b whatsapp://send":                                                                                 {},
		"postgres://u:p@a.example:5432/x (git+ssh://b.example) 'ftps://c.example'":                                                                    {"a.example:5432", "b.example", "c.example"},
		"data:image/svg+xml;utf8,<?xml version='1.0'?><svg xmlns='http://a.example/svg'><!-- https://a.example --><path/></svg>":                      {},
		`url("data:image/svg+xml,%3Csvg xmlns='http://a.example' %3E%3Cpath/%3E%3C/svg%3E") https://b.example`:                                        {"b.example"},
		"data:image%2Fsvg%2Bxml%2C%3Csvg%20xmlns%3D%22http%3A%2F%2Fa.example%22%2F%3E data%3Aimage/svg+xml,%3Csvg xmlns=%22http%3A//b.example%22/%3E": {},
		`data:0,fetch("https://a.example/x")`:                                                                                                         {"a.example"},
		`import("data:text/javascript,fetch('https://a.example')")`:                                                                                   {"a.example"},
		"data:x/y,<a href=https://a.example>":                                                                                                         {"a.example"},
		"data:image/svg+xml,<svg>https://a.example":                                                                                                   {"a.example"},
		`url("data:image/svg+xml,<svg xmlns='http://a.example'/>") https://b.example`:                                                                 {"b.example"},
		"Your data: https://a.example, DATA:x https://b.example":                                                                                      {"a.example", "b.example"},

		// Escaped once
		`https:\u002f\u002fa.example\u002Fx`:                               {"a.example"},
		`fetch("\u{68}ttps://a.example"), fetch("https:\u{2f}/b.example")`: {"a.example", "b.example"},
		`<img src="https&#58//a.example"> &#104ttps://b.example`:           {"a.example", "b.example"},
		`https\x3a//a.example`:                                             {"a.example"},
		"/login?next=https%3A%2F%2Fa.example%2Fx":                          {"a.example"},
		"https://b.example/?u=https%3a//c%c3%bc.example":                   {"b.example", "xn--c-eha.example"},
		"https://b.example/?u=https%253A%252F%252Fa.example/":              {"a.example", "b.example"},
		"/login?to=https:%2F%2Fa.example":                                  {"a.example"},
		"/login?to=%2F%2Fa.example":                                        {"a.example"},
		"data:text/html,%3Cscript%20src=%22//a.example/x%22%3E":            {"a.example"},
		"https://sec%2Fret@a.example":                                      {"a.example"},
		"https&#58;&#x2F;&sol;a.example&sol;x":                             {"a.example"},
		"https://a.example?x&amp;y":                                        {"a.example"},
		`https://evil.example\u0040good.example`:                           {"evil.example", "good.example"}, // The first for who does not unescape it.
	} {
		for _, definition := range []string{
			`{"graph":{"nodes":[{"a":["` + "x" + `",TEXT]}]}}`, `{"graph":{"memory":[{"value":TEXT}]}}`, `{"graph":{"links":[TEXT]}}`,
			`{"canvas":{"appearance":{"css":TEXT}}}`, `{"profile":{"icon":TEXT}}`, `{"integrations":{"new":TEXT}}`, `{"unknown":{"a":TEXT}}`,
			`{"exposure":{"access":{"hook":TEXT}}}`, `{"safeguards":[TEXT]}`, `{"execution":TEXT}`,
		} {
			if diff := cmp.Diff(want, hostsIn(t, definition, text)); diff != "" {
				t.Errorf("%s: %q: unexpected hosts (-want +got):\n%s", definition, text, diff)
			}
		}
	}
	if diff := cmp.Diff([]string{"a.example", "b.example", "c.example"}, digestOf(t, `{"graph":{"nodes":[{"https://a.example":{"https:\/b.example":1,"https:c.example":2}}]}}`).Hosts); diff != "" {
		t.Errorf("keys: unexpected hosts (-want +got):\n%s", diff)
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

// What cannot be parsed is neither dropped nor another host, and shows no password.
func TestHostsThatCannotBeParsed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, text := range []string{
		"https://a.example:99999", "https://a.example:99998", "https://api:Secret", "https://api:Secret{{x}}", `"https://<secret>"`,
		"https://[::1%25secret]/", "https://" + strings.Repeat("secret", 200), "https://1.2.3.4.5",
	} {
		hosts := hostsIn(t, `{"graph":{"nodes":[TEXT]}}`, text)
		if len(hosts) != 1 || !regexp.MustCompile(`^unreadable URL \(SHA-256 [0-9a-f]{32}\)$`).MatchString(hosts[0]) || seen[hosts[0]] {
			t.Errorf("%.50q: got %q", text, hosts)
			continue
		}
		seen[hosts[0]] = true
	}
}

func TestHostsWithoutAScheme(t *testing.T) {
	t.Parallel()
	for definition, want := range map[string][]string{
		`{"graph":{"nodes":[{"url":"Evil.example/x","webhookURL":"localhost:3000","text":"other.example","baseUrl":["b.example"]}]}}`:                                    {"b.example", "evil.example", "localhost:3000"},
		`{"graph":{"nodes":[{"smtpHost":"a.example","HREF":"b.example/x","uri":"c.example","urls":["d.example"],"hosts":["e.example"],"ghosts":"none","links":"x.y"}]}}`: {"a.example", "b.example", "c.example", "d.example", "e.example"},
		`{"execution":{"endpoint":"a.example/x","apiServer":"b.example:8080","domains":["c.example",{"x":1},"D.example."],"Webhooks":["ann@e.example"],"origin":"10.0.0.7","hostname":"bücher.example","url":"good.example\\\\@evil.example","uri":"e.example is it"}}`: {
			"10.0.0.7", "a.example", "b.example:8080", "c.example", "d.example", "e.example", "evil.example", "good.example", "xn--bcher-kva.example"},
		`{"execution":{"endpoint":"/x.y","domain":"shop","webhook":"Yes. No.","origin":"index.html","hostname":"v1.2","apiServers":["17"],"url":"logo.png","uri":"b/logo.example","":"a.b","s":"a.b","x":"endpoint.example"}}`: {},
		`{"execution":{"url":"169.254.43518","host":"45.33.7","server":"[::1]","uri":"x.js\\@evil.example/y"}}`:                                                                                                                {"169.254.169.254", "45.33.0.7", "[::1]", "evil.example", "x.js"},
		`{"graph":{"nodes":[{"url":"/x"},{"url":"#x"},{"url":"../x"},{"url":"tel:+1"},{"url":"a b.example"},{"url":"javascript:a.b"},{"url":"none"},{"url":""}]}}`:                                                             {},
		`{"graph":{"nodes":[{"url":"{{ Base }}/x"}],"memory":[{"name":"Base","value":"api.example/v1"},{"name":"Other","value":"other.example"}]}}`:                                                                            {"api.example"},
		`{"graph":{"memory":[{"name":"S","value":"https"},{"name":"H","value":"a.example"},{"name":"H","value":"b.example"}],"nodes":[{"url":"{{S}}://{{H}}/x"}]}}`:                                                            {"a.example", "b.example", "{{h}}"},
		`{"graph":{"memory":[{"id":"v1","value":".example"},{"id":"v2","name":"b","value":"b.example"}],"nodes":[{"url":"https://api{{v1}}/x"},{"url":"{{a}}{{v2}}"}]}}`:                                                       {"api{{v1}}", "b.example"},
		`{"graph":{"memory":[{"name":"Host","value":"api.example"}],"nodes":["https://{{Host}}/x"]}}`:                                                                                                                          {"api.example", "{{host}}"},
	} {
		if diff := cmp.Diff(want, digestOf(t, definition).Hosts); diff != "" {
			t.Errorf("%s: unexpected hosts (-want +got):\n%s", definition, diff)
		}
	}
}

// A quoted URL of any length is not another host.
func TestHostsOfLongURLs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 2000)
	for text, want := range map[string]string{
		`fetch("https://good.example @evil.example/` + long + `")`:            `^evil\.example\ngood\.example$`,
		`fetch("https:evil.example/` + long + `")`:                            `^evil\.example$`,
		`fetch("https://good.example ` + long + `@evil.example/")`:            `^good\.example\nunreadable URL \(SHA-256 [0-9a-f]{32}\)$`,
		`https://good.example\` + strings.Repeat("x", 2000) + `@evil.example`: `^good\.example\nunreadable URL \(SHA-256 [0-9a-f]{32}\)$`,
		`see =https:` + long + `.example`:                                     `^unreadable URL \(SHA-256 [0-9a-f]{32}\)$`,
	} {
		hosts := strings.Join(hostsIn(t, `{"graph":{"nodes":[TEXT]}}`, text), "\n")
		if !regexp.MustCompile(want).MatchString(hosts) {
			t.Errorf("%.50s: got %q", text, hosts)
		}
	}
}

func TestHostsAreLimited(t *testing.T) {
	t.Parallel()
	var urls []string
	for i := range 1100 {
		urls = append(urls, fmt.Sprintf("http://%04d.example", 1099-i))
	}
	hosts := digestOf(t, `{"execution":["http://`+strings.Repeat("-", 253)+`.example `+strings.Join(slices.Concat(urls, urls), " ")+`"]}`).Hosts
	rest := regexp.MustCompile(`^and 102 more \(SHA-256 [0-9a-f]{32}\)$`)
	if len(hosts) != 1000 || !regexp.MustCompile(`^-{253}… \(SHA-256 [0-9a-f]{32}\)$`).MatchString(hosts[0]) || hosts[998] != "0997.example" || !rest.MatchString(hosts[999]) {
		t.Errorf("got %d hosts from %s to %s", len(hosts), hosts[0], hosts[len(hosts)-1])
	}
}
