// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
)

// speller spells values. With a source of random numbers, it spells each in another way.
type speller struct{ random *rand.Rand }

func (s speller) among(spellings ...string) string {
	if s.random == nil {
		return spellings[0]
	}
	return spellings[s.random.IntN(len(spellings))]
}

func (s speller) shuffled(texts []string) []string {
	if s.random != nil {
		texts = slices.Clone(texts)
		s.random.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	}
	return texts
}

func (s speller) host(n int) string {
	return s.among(fmt.Sprintf("h%d.example", n), fmt.Sprintf("H%d.Example", n), fmt.Sprintf("h%d.example:443", n))
}

func (s speller) url(n int) string {
	return s.among("https://", "HTTPS://") + s.host(n) + fmt.Sprintf("/Path%d?a=b", n)
}

func (s speller) time(n int) string {
	moment := time.Date(2026, 1, 2, 3, 4, n, 500_000_000, time.UTC)
	local := moment.In(time.FixedZone("", 5400))
	return s.among(moment.Format(time.RFC3339Nano), moment.Format("2006-01-02T15:04:05.000Z"), local.Format(time.RFC3339Nano))
}

func (s speller) email(n int) string {
	return s.among(fmt.Sprintf("ünal%d@x.example", n), fmt.Sprintf("Ünal%d@X.example", n), fmt.Sprintf("ÜNAL%d@X.EXAMPLE", n))
}

func (s speller) number(n int) string {
	return s.among(fmt.Sprint(10*n), fmt.Sprintf("%d.0", 10*n), fmt.Sprintf("%de1", n), fmt.Sprintf("%dE+1", n), fmt.Sprintf("%d00.00e-1", n))
}

func quoted(text string) string {
	literal, _ := json.Marshal(text)
	return string(literal)
}

// object spells an object of members.
func (s speller) object(members ...string) string {
	return "{" + s.among("", " ", "\n") + strings.Join(s.shuffled(members), s.among(",", " , ")) + "}"
}

// list spells a list, whose order has a meaning.
func (s speller) list(elements ...string) string {
	return "[" + strings.Join(elements, s.among(",", ",\n")) + "]"
}

// settings spells settings with each kind of a value. The numbers are of the values.
func (s speller) settings(n [10]int) string {
	word := s.among(fmt.Sprintf(`"word%d"`, n[6]), fmt.Sprintf(`"w\u006frd%d"`, n[6]))
	return s.object(
		`"a":`+s.object(`"uses":`+s.number(n[0]+1), `"Since":`+quoted(s.time(n[1]))),
		`"owners":`+s.list(quoted(s.email(n[2])), quoted("z"), s.number(7), "null", "true"),
		`"origins":`+s.list(quoted(s.host(n[3])), quoted(s.url(3))),
		`"hook":`+quoted(s.url(n[4])),
		`"hostnames":`+s.list(quoted(s.host(4)), quoted("//"+s.host(5)+"/A")),
		`"rules":[`+s.object(`"first":`+s.number(n[5]+1), `"b":1`)+`,{"c":[]}]`,
		`"word":`+word,
		`"flag":`+fmt.Sprint(n[7] == 0),
		`"password":`+quoted(fmt.Sprint("A.b@C", n[8])),
		`"0.`+fmt.Sprint(n[9])+`":`+s.number(3),
	)
}

// audit spells an audit with a value of each kind that a record has. The numbers are of the
// values.
func (s speller) audit(at string, n [20]int) object {
	var settings [10]int
	copy(settings[:], n[10:])
	labels, hosts := list{}, list{}
	for _, label := range s.shuffled([]string{"a", fmt.Sprint("b", n[0])}) {
		labels = append(labels, label)
	}
	for _, host := range []string{"a.example", fmt.Sprintf("b%d.example", n[1])} {
		hosts = append(hosts, host)
	}
	collaborators := s.list(s.shuffled([]string{s.object(`"email":`+quoted(s.email(n[2])), `"since":`+s.number(5)), quoted(s.email(1)), s.object(`"userId":"u"`)})...)
	agent := audittest.Agent(object{
		"labels": labels, "external_hosts": hosts, "collaborators_json": collaborators, "url": s.url(n[3]), "domain": s.host(n[4]), "published_at": s.time(n[5]),
		"share_rules_json": s.settings(settings), "security_json": s.settings([10]int{}), "definition_hash": audittest.Hash(n[0]),
		"domain_id": "", "public_id": fmt.Sprint("p", n[6]), "credentials_ref": fmt.Sprint("c", n[7]),
	})
	members := list{
		audittest.Member("ADMIN", "Ünal", s.email(n[8])),
		audittest.Member("GUEST", fmt.Sprint("Desk ", n[9]), nil),
		audittest.Member("GUEST", "Desk", nil),
	}
	if s.random != nil {
		s.random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		agent["domain_id"] = list{nil, ""}[s.random.IntN(2)]
	}
	return object{"read_at": at, "members": members, "agents": object{"agt_1": agent}}
}

// However a service spells its values, a spelling is no change, and a value is one: the record,
// the keys, and their fingerprints are those of the values.
func TestSpellings(t *testing.T) {
	t.Parallel()
	accessKeys := func(recorded *audit.Recorded) []string {
		var keys []string
		for _, c := range recorded.Changes {
			if c.Key != nil {
				keys = append(keys, *c.Key)
			}
		}
		return keys
	}
	days := func(day int) string { return fmt.Sprintf("2026-03-%02dT10:00:00Z", day) }
	usual := speller{}
	first := planned(t, usual.audit(days(1), [20]int{}), &audit.Recorded{})
	for seed := range uint64(100) {
		another := speller{rand.New(rand.NewPCG(seed, 1))}
		if again := planned(t, another.audit(days(1), [20]int{}), &audit.Recorded{}); again.Record != first.Record || !slices.Equal(accessKeys(again), accessKeys(first)) {
			t.Fatalf("seed %d: the first record differs:\n%s\n%s", seed, unpacked(t, first.Record), unpacked(t, again.Record))
		}
		if again := planned(t, another.audit(days(2), [20]int{}), first); again.Record != first.Record || len(again.Changes) != 1 {
			t.Fatalf("seed %d: another spelling is a change: %v", seed, again.Changes[1:])
		}
		var edit [20]int
		edit[seed%20] = 1
		edited := planned(t, usual.audit(days(2), edit), first)
		again := planned(t, another.audit(days(2), edit), first)
		if again.Record != edited.Record || !slices.Equal(accessKeys(again), accessKeys(edited)) {
			t.Fatalf("seed %d: value %d has another record or key in another spelling", seed, seed%20)
		}
		if len(edited.Changes) < 2 || edited.Record == first.Record {
			t.Fatalf("seed %d: value %d is no change", seed, seed%20)
		}
		if diff := cmp.Diff(edited.Changes, again.Changes); diff != "" {
			t.Fatalf("seed %d: value %d is shown in another way (-usual +other):\n%s", seed, seed%20, diff)
		}
	}
}

// Values that differ only a little are changes.
func TestSimilarValues(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]any{
		"security_json": {`{"a":0.5}`, `{"a":"0.5"}`, `{"A":0.5}`, `{"a":[0.5]}`, `{"a":12345678901234567890}`, `{"a":12345678901234567891}`, `{"a":"Abc.def"}`, `{"a":"abc.def"}`,
			`{"a":[]}`, `{"a":["x","x"]}`, `{"a":["x"]}`, `{"a":[["x"],["y"]]}`, `{"a":[["y"],["x"]]}`, `{"password":"A@b"}`, `{"password":"a@b"}`,
			`{"password":"http://A.b"}`, `{"password":"http://a.b"}`, `{"a":"https://u@x/a"}`, `{"a":"https://U@x/a"}`, `{"a":"http://x:443/a"}`, `{"a":"http://x/a"}`, nil},
		"collaborators_json": {`["a"]`, `["a","a"]`, `[["a","b"]]`, `[{"a":1},{"b":1}]`, `[{"a":1}]`, `[{"a":[{"x":1},{"y":1}]}]`, `[{"a":[{"y":1},{"x":1}]}]`},
		"url":                {"https://x.example/A", "https://x.example/a", "http://x.example/a", "https://x.example:444/a", "https://x.example/a?b=1", "https://p@x.example/a", "null", "{}"},
		"domain":             {"x.example", "y.example", "x.example:80", "x", "null"},
		"published_at":       {"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.1Z", "2026-01-02", "today"},
		"public_id":          {"a", "A", "á", "á ", "null"},
	} {
		for i, before := range values {
			earlier := recordOf(t, withAgent(object{name: before}))
			for j, after := range values[i:] {
				if changes := changesSince(t, earlier, withAgent(object{name: after})); (len(changes) == 0) != (j == 0) {
					t.Errorf("%s from %v to %v: got %v", name, before, after, changes)
				}
			}
		}
	}
}
