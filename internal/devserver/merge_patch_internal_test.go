// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMergePatch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ document, patch, want string }{
		// The test cases of RFC 7396, appendix A, whose document and patch are objects.
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		// Documents that are no object, and values that keep their bytes.
		{``, `{"a":1}`, `{"a":1}`},
		{`null`, `{"a":1}`, `{"a":1}`},
		{`[1]`, `{"a":1}`, `{"a":1}`},
		{`{"a":1e400,"b":"<&>"}`, `{"c": 9007199254740993}`, `{"a":1e400,"b":"<&>","c":9007199254740993}`},
	} {
		var patch map[string]json.RawMessage
		if err := json.Unmarshal([]byte(test.patch), &patch); err != nil {
			t.Fatal(err)
		}
		got, err := mergePatch([]byte(test.document), patch)
		if err != nil || strings.TrimSpace(string(got)) != test.want {
			t.Errorf("%s + %s: got %s, %v; want %s", test.document, test.patch, got, err, test.want)
		}
	}
	if got, err := mergePatch([]byte(`{"a":`), nil); err == nil {
		t.Errorf("got %s for a document that is cut off", got)
	}
}
