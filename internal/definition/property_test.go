// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Another spelling has the same digest, and any other leaf another hash.
func TestDigestOfChangedDefinitions(t *testing.T) {
	t.Parallel()
	edits := 0
	random := rand.New(rand.NewPCG(1, 2))
	for _, agent := range devserver.DefaultSeed().Agents {
		want := digestOf(t, string(agent.Definition))
		decoder := json.NewDecoder(bytes.NewReader(agent.Definition))
		decoder.UseNumber()
		var object map[string]any
		if err := decoder.Decode(&object); err != nil {
			t.Fatal(err)
		}
		for range 8 {
			text := spell(random, object)
			if diff := cmp.Diff(want, digestOf(t, text)); diff != "" {
				t.Fatalf("%s: unexpected digest (-want +got):\n%s", text, diff)
			}
		}
		for _, name := range []string{"ref", "exposure", "tenancy", "timestamps", "safeguards", "telemetry"} {
			delete(object, name)
		}
		editLeaves(object, func() {
			edits++
			text := spell(random, object)
			if edited := digestOf(t, text); edited.Hash == want.Hash || len(changes(want, edited)) == 0 {
				t.Errorf("edit %d does not change the digest: %s", edits, text)
			}
		})
	}
	if edits < 1000 {
		t.Errorf("only %d leaves were edited", edits)
	}
}

// spell writes a value with a random order of keys and random spellings.
func spell(random *rand.Rand, value any) string {
	pick := func(options ...string) string { return options[random.IntN(len(options))] }
	space := pick("", " ", "\n\t")
	var parts []string
	switch value := value.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(value))
		random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for _, key := range keys {
			parts = append(parts, spell(random, key)+space+":"+spell(random, value[key]))
		}
		return space + "{" + strings.Join(parts, ",") + space + "}"
	case []any:
		for _, element := range value {
			parts = append(parts, spell(random, element))
		}
		return space + "[" + strings.Join(parts, space+",") + "]" + space
	case string:
		var text strings.Builder
		for _, char := range value {
			plain, _ := json.Marshal(string(char))
			escaped := string(plain[1 : len(plain)-1])
			if char < 0x10000 {
				escaped = pick(escaped, escaped, escaped, fmt.Sprintf(`\u%04x`, char))
			}
			text.WriteString(escaped)
		}
		return space + `"` + text.String() + `"`
	case json.Number:
		if strings.ContainsAny(string(value), ".eE") {
			return space + string(value)
		}
		return pick(string(value), string(value)+".0", string(value)+"e0", string(value)+".00E+00")
	}
	return space + fmt.Sprint(map[any]string{nil: "null", true: "true", false: "false"}[value])
}

// editLeaves changes one leaf of a value after the other, and calls a function each
// time.
func editLeaves(value any, edited func()) {
	edit := func(leaf any, set func(any)) {
		switch leaf := leaf.(type) {
		case map[string]any, []any:
			editLeaves(leaf, edited)
			return
		case string:
			set(leaf + "x")
		case json.Number:
			set(json.Number("7" + strings.TrimPrefix(string(leaf), "-")))
		case bool:
			set(!leaf)
		default:
			set("")
		}
		edited()
		set(leaf)
	}
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			edit(member, func(leaf any) { value[key] = leaf })
		}
	case []any:
		for i, element := range value {
			edit(element, func(leaf any) { value[i] = leaf })
		}
	}
}

// Whatever the bytes, there is no panic, and the JSON of the value has the same digest.
func FuzzDigest(f *testing.F) {
	for _, text := range []string{
		base, `{}`, `null`, `[]`, `{"a":`, "{\"\xff\":\"\\ud800\u2028\"}",
		`{"graph":{"nodes":[{"id":"a","x":-0.0,"position":{"x":1e400,"y":null}},[],{"id":"a","id":null}],"entrypoints":{}}}`,
		`{"graph":[1],"execution":{"rules":["http\u003a//{{a}}@[::1]:1","https://a.example\\"]},"graph":{"links":[{},{}]}}`,
		`{"canvas":{"annotations":[{"zIndex":10,"content":"a"}]},"profile":null,"taxonomy":{"tags":{"ids":["b","a"]}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := digestIn(string(text))
		v, invalid := jsonvalue.Parse(text)
		if (err == nil) != (invalid == nil && v.Kind() == '{') {
			t.Fatalf("unexpected error %v", err)
		}
		if err == nil {
			if diff := cmp.Diff(digestOf(t, v.JSON()), got); diff != "" {
				t.Errorf("unexpected digest (-want +got):\n%s", diff)
			}
		}
	})
}
