// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// walk is one pass through a document.
type walk struct {
	cursor
	path     []step
	mismatch MismatchError
}

// step is a key of an object or, where it has none, an index of a list.
type step struct {
	key   string
	index int
}

// value decodes the value at the cursor. Where it is not what the node wants,
// the mismatch is noted and null returned.
func (w *walk) value(n *node) tftypes.Value {
	first := w.data[w.pos]
	switch {
	case first == 'n':
		w.raw()
		return null(n)
	case n.fields != nil && first == '{':
		return w.object(n)
	case n.element != nil && first == '[':
		return w.list(n)
	case n.typ.Is(tftypes.String):
		return tftypes.NewValue(n.typ, w.text())
	case n.typ.Is(tftypes.Number) && kindOf(first) == "a number":
		return w.number(n)
	case n.typ.Is(tftypes.Bool) && kindOf(first) == "a bool":
		return tftypes.NewValue(n.typ, w.raw()[0] == 't')
	}
	w.fail(fmt.Sprintf("expected %s, got %s", n.kind(), kindOf(first)))
	w.raw()
	return null(n)
}

func (w *walk) object(n *node) tftypes.Value {
	values := make(map[string]tftypes.Value, len(n.all))
	for w.open(); w.more(); {
		fields := n.fields[string(w.key())]
		w.separators()
		start := w.pos
		for _, f := range fields {
			// The same text again, when two attributes take it.
			w.pos = start
			w.push(step{key: f.key})
			if f.required && w.data[start] == 'n' {
				w.fail("is null")
			}
			values[f.attribute] = f.decode(w, f.node)
			w.pop()
		}
		if len(fields) == 0 {
			w.raw()
		}
	}
	for _, f := range n.all {
		if _, present := values[f.attribute]; present {
			continue
		}
		values[f.attribute] = null(f.node)
		if f.required {
			w.push(step{key: f.key})
			w.fail("is missing")
			w.pop()
		}
	}
	return tftypes.NewValue(n.typ, values)
}

func (w *walk) list(n *node) tftypes.Value {
	values := []tftypes.Value{}
	var texts [][]byte
	for w.open(); w.more(); {
		start := w.pos
		w.push(step{index: len(values)})
		values = append(values, w.value(n.element))
		w.pop()
		if n.sortBy != nil {
			texts = append(texts, w.data[start:w.pos])
		}
	}
	if n.sortBy != nil {
		values = sorted(values, texts, n.sortBy)
	}
	return tftypes.NewValue(n.typ, values)
}

// text returns a string's content, and of any other value its JSON text.
func (w *walk) text() string {
	if w.data[w.pos] == '"' {
		return unquote(w.raw())
	}
	return canonical(w.raw())
}

// verbatim returns the value at the cursor as its JSON text.
func (w *walk) verbatim(n *node) tftypes.Value {
	if w.data[w.pos] == 'n' {
		w.raw()
		return null(n)
	}
	return tftypes.NewValue(n.typ, canonical(w.raw()))
}

// count returns the length of the array at the cursor.
func (w *walk) count(n *node) tftypes.Value {
	first := w.data[w.pos]
	if first != '[' {
		if first != 'n' {
			w.fail("expected an array, got " + kindOf(first))
		}
		w.raw()
		return null(n)
	}
	length := 0
	for w.open(); w.more(); length++ {
		w.raw()
	}
	return tftypes.NewValue(n.typ, length)
}

// Bounds of numbers: Terraform computes with 512 bits of mantissa, and writes
// every number out in full, where a short text with a huge exponent would fill
// the memory.
const (
	precision   = 512
	maxExponent = 4096
	maxDigits   = 4096
)

func (w *walk) number(n *node) tftypes.Value {
	text := string(w.raw())
	number, ok := parseNumber(text)
	if !ok {
		w.fail(fmt.Sprintf("the number %.40s is beyond what Terraform can hold", text))
		return null(n)
	}
	return tftypes.NewValue(n.typ, number)
}

func parseNumber(text string) (*big.Float, bool) {
	if mantissa, exponent, found := strings.Cut(strings.ToLower(text), "e"); len(mantissa) > maxDigits {
		return nil, false
	} else if found {
		value, err := strconv.Atoi(exponent)
		if err != nil || value > maxExponent || value < -maxExponent {
			return nil, false
		}
	}
	number, _, err := big.ParseFloat(text, 10, precision, big.ToNearestEven)
	return number, err == nil
}

func (w *walk) push(s step) { w.path = append(w.path, s) }
func (w *walk) pop()        { w.path = w.path[:len(w.path)-1] }

// fail notes that the value at the cursor is not as it should be.
func (w *walk) fail(problem string) {
	w.mismatch.add(w.location(), problem)
}

// location writes the path to the cursor: agent.canvas.annotations[3].zIndex.
func (w *walk) location() string {
	var b strings.Builder
	for _, s := range w.path {
		switch {
		case s.key == "":
			fmt.Fprintf(&b, "[%d]", s.index)
		case b.Len() > 0:
			b.WriteString("." + s.key)
		default:
			b.WriteString(s.key)
		}
	}
	return b.String()
}

func null(n *node) tftypes.Value { return tftypes.NewValue(n.typ, nil) }

// kind names in words what a node wants.
func (n *node) kind() string {
	switch {
	case n.fields != nil:
		return "an object"
	case n.element != nil:
		return "an array"
	case n.typ.Is(tftypes.Number):
		return "a number"
	default:
		return "a bool"
	}
}

// kindOf names in words the value that begins with the given byte.
func kindOf(first byte) string {
	switch first {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a bool"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}

// canonical writes a value such that equal content is equal text: compact,
// keys sorted, numbers as they came, nothing escaped for HTML.
func canonical(raw []byte) string {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	// Neither can fail: raw is valid, and so is what comes of it.
	_ = decoder.Decode(&value)
	_ = encoder.Encode(value)
	return strings.TrimSuffix(text.String(), "\n")
}

// sorted returns objects sorted by the strings at the given attribute paths,
// where null counts as empty. What is equal in all of them is sorted by its
// whole text, so that the order never depends on the one in the document.
func sorted(values []tftypes.Value, texts [][]byte, paths [][]string) []tftypes.Value {
	keys := make([][]string, len(values))
	order := make([]int, len(values))
	for i, value := range values {
		order[i] = i
		for _, path := range paths {
			keys[i] = append(keys[i], stringAt(value, path))
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		if c := slices.Compare(keys[a], keys[b]); c != 0 {
			return c
		}
		return strings.Compare(canonical(texts[a]), canonical(texts[b]))
	})
	result := make([]tftypes.Value, len(values))
	for i, from := range order {
		result[i] = values[from]
	}
	return result
}

// stringAt returns the string at a path of attributes, "" where there is none.
func stringAt(value tftypes.Value, path []string) string {
	for _, attribute := range path {
		var object map[string]tftypes.Value
		if value.IsNull() || value.As(&object) != nil {
			return ""
		}
		value = object[attribute]
	}
	var text *string
	if value.As(&text) != nil || text == nil {
		return ""
	}
	return *text
}

func escaped(raw []byte) bool { return bytes.IndexByte(raw, '\\') >= 0 }
