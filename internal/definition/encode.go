// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"hash/maphash"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// digester encodes each value of a definition so that equal content becomes equal
// bytes: a string or number becomes normalized text, an object its sorted members, and
// a list its elements. A long object or list is replaced by its hash, so that the
// time does not grow with the nesting.
type digester struct {
	text        string            // the definition, as valid JSON without white space
	at          int               // position of the next value in text
	encoded     []byte            // the encodings in the open objects and lists, back to back
	items       []item            // of the open objects and lists, except for ordered lists
	sorted      []byte            // reused by object and array
	position    []byte            // reused by element
	repeated    []byte            // of the last element, the keys that it shares with earlier ones of the list
	seen        map[sharedKey]int // how often each key of an element has occurred
	hasRepeated bool              // whether an element shares a key with another one
	isObject    bool              // whether the definition is an object
	noHosts     bool              // whether the open values' URLs are not listed
	isTarget    bool              // whether the last key says that its value is a URL
	// index is that of the next value among the values of the text and their keys. If
	// values is not nil, each object and list is kept there.
	index  int
	values []encoding

	parts  map[string]hash
	layout []hash // of the elements with a position, each with its ID
	nodes  []Node
	hosts  hostFinder
}

type hash = [sha256.Size]byte

// sharedKey is a key of elements with its value, as a hash that is good enough for one digest.
type sharedKey struct {
	element *rule
	member  uint64
}

var seed = maphash.MakeSeed()

// item is a member of an object or an element of a list: encoded[start:end].
type item struct {
	start, value, end int // An element has no key: value is start.
	isPosition        bool
}

// maxEncoding is the length of the longest encoding of an object or list that is not
// replaced by its hash. Hashing each small object would take longer.
const maxEncoding = 256

// encoding is what tells a value from others: that of the value and, of an element, that of
// its position. A position has none in the element.
type encoding struct {
	content, position string
	isPosition        bool
}

// read encodes the definition in the text.
func (d *digester) read(r *rule) {
	d.encoded, d.sorted = make([]byte, 0, len(d.text)/2), make([]byte, 0, len(d.text)/4)
	d.items, d.parts = make([]item, 0, 64), map[string]hash{}
	d.hosts.values, d.hosts.used, d.noHosts = map[string][]string{}, map[string]bool{}, r != rules || d.values != nil
	d.index++
	d.object(r)
}

// value encodes the next value. It reports whether that is a number or an object of
// numbers.
func (d *digester) value(r *rule) (isNumeric bool) {
	outside, isTarget, start, index := d.noHosts, d.isTarget, len(d.encoded), d.index
	d.index++
	d.noHosts = (outside || r.noHosts) && r != rules
	switch d.text[d.at] {
	case '{':
		isNumeric = d.object(r)
	case '[':
		d.array(r)
	case '"':
		if text := d.string(); d.isTarget && !d.noHosts {
			d.hosts.addTarget(html.UnescapeString(unquote(text)))
		}
	case 'n', 't', 'f': // null, true, and false
		d.encoded = append(d.encoded, d.literal()...)
	default:
		d.encoded = jsonvalue.AppendNumber(d.encoded, d.literal())
		isNumeric = true
	}
	if c := d.encoded[start]; d.values != nil && (c == '{' || c == '[' || c == '#') {
		d.values[index].content = string(d.encoded[start:])
	}
	d.noHosts, d.isTarget = outside, isTarget
	return isNumeric
}

func (d *digester) object(r *rule) (isNumeric bool) {
	d.isObject = d.isObject || r == rules
	start, first, index := len(d.encoded), len(d.items), d.index-1
	isNumeric = true
	d.at++
	for d.next('}') {
		member := item{start: len(d.encoded)}
		key := d.string()
		member.value = len(d.encoded)
		d.at++ // the colon
		d.index++
		valueIndex := d.index
		memberRule := r.member(key[1 : len(key)-1])
		d.isTarget = isURL(key)
		isNull, isObject := d.text[d.at] == 'n', d.text[d.at] == '{'
		isNumber := d.value(memberRule)
		isNumeric = isNumeric && (isNumber || isNull)
		member.isPosition = isNumber && memberRule.position
		if d.values != nil {
			d.values[valueIndex].isPosition = member.isPosition
		}
		if memberRule.part != "" && !isNull {
			d.parts[memberRule.part] = sha256.Sum256(d.encoded[member.value:])
		}
		if isNull || memberRule.part != "" || memberRule.omitted && (!isObject || len(memberRule.members) == 0 || string(d.encoded[member.value:]) == "{}") {
			d.encoded = d.encoded[:member.value] // A member without a value is not in the object.
		}
		member.end = len(d.encoded)
		d.items = append(d.items, member)
	}
	d.sort(d.items[first:])
	d.sorted = append(d.sorted[:0], '{')
	for _, member := range d.items[first:] {
		if member.end > member.value && !member.isPosition {
			d.sorted = append(append(d.sorted, d.encoded[member.start:member.end]...), ',')
		}
	}
	d.sorted = append(d.sorted, '}')
	if r.element != "" {
		d.element(r, d.items[first:], index)
	}
	if r.element == "variable" {
		d.variable(d.items[first:])
	}
	d.close(start, first, d.sorted)
	return isNumeric
}

func (d *digester) array(r *rule) {
	start, first := len(d.encoded), len(d.items)
	elements := cmp.Or(r.elements, content)
	if r == rules && d.text[d.at+1] == ']' { // Some services write an empty object as an empty array.
		d.isObject = true
	}
	d.encoded = append(d.encoded, '[')
	d.at++
	for d.next(']') {
		from := len(d.encoded)
		d.repeated = d.repeated[:0]
		d.value(elements)
		if r.elements != nil {
			d.encoded = append(d.encoded, d.repeated...)
		}
		d.encoded = append(d.encoded, ',')
		if r.unordered {
			d.items = append(d.items, item{start: from, value: from, end: len(d.encoded)})
		}
	}
	if !r.unordered {
		d.encoded = append(d.encoded, ']')
		d.close(start, first, d.encoded[start:])
		return
	}
	d.sort(d.items[first:])
	d.sorted = append(d.sorted[:0], '[')
	for _, element := range d.items[first:] {
		d.sorted = append(d.sorted, d.encoded[element.start:element.end]...)
	}
	d.sorted = append(d.sorted, ']')
	d.close(start, first, d.sorted)
}

// close replaces what has been encoded of an object or list by its encoding.
func (d *digester) close(start, first int, encoding []byte) {
	d.items = d.items[:first]
	if len(encoding) <= maxEncoding {
		d.encoded = append(d.encoded[:start], encoding...)
		return
	}
	sum := sha256.Sum256(encoding)
	d.encoded = append(append(d.encoded[:start], '#'), sum[:]...)
}

// element adds an element of a list, whose content is in d.sorted.
func (d *digester) element(r *rule, members []item, index int) {
	var id, title, name []byte
	d.position = d.position[:0]
	for _, member := range members {
		key, value := d.key(member), d.encoded[member.value:member.end]
		if len(value) > 0 && slices.Contains(r.keys, string(key[1:len(key)-1])) {
			shared := sharedKey{r, maphash.Bytes(seed, d.encoded[member.start:member.end])}
			n := d.seen[shared]
			if d.seen[shared] = n + 1; n > 0 {
				d.repeated = strconv.AppendInt(append(append(d.repeated, '@'), key...), int64(n), 10)
			}
		}
		switch {
		case member.isPosition:
			d.position = append(append(d.position, d.encoded[member.start:member.end]...), ',')
		case string(key) == `"id"`:
			id = value
		case string(key) == `"title"`:
			title = value
		case string(key) == `"name"`:
			name = value
		}
	}
	if len(d.position) > 0 {
		if d.values != nil {
			d.values[index].position = string(d.position)
		}
		// With the ID instead of the content, a new text does not change the layout.
		identity := id
		if len(identity) == 0 {
			identity = d.sorted
		}
		d.position = append(append(append(append(d.position, r.element...), 's'), identity...), d.repeated...)
		d.layout = append(d.layout, sha256.Sum256(d.position))
	}
	d.hasRepeated = d.hasRepeated || len(d.repeated) > 0
	if !r.placed {
		return
	}
	sum := sha256.Sum256(d.sorted)
	d.sorted = append(append(d.sorted[:0], '#'), sum[:]...)
	if r.element == "node" {
		d.nodes = append(d.nodes, Node{unquote(id), cmp.Or(unquote(title), unquote(name)), short(sum)})
	}
}

// variable adds the value of a variable, given the encoded members.
func (d *digester) variable(members []item) {
	var names []string
	value := ""
	for _, member := range members {
		text := unquote(d.encoded[member.value:member.end])
		switch string(d.key(member)) {
		case `"id"`, `"name"`:
			names = append(names, text)
		case `"value"`:
			value = text
		}
	}
	for _, name := range names {
		d.hosts.values[name] = append(d.hosts.values[name], value)
	}
}

// unquote returns the content of a string, and an empty string for any other value.
func unquote[T string | []byte](value T) string {
	quoted := string(value)
	switch {
	case !strings.HasPrefix(quoted, `"`):
		return ""
	case strings.IndexByte(quoted, '\\') < 0:
		return quoted[1 : len(quoted)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, quoted) // The text is valid.
	return string(text)
}

// next reports whether another member or element follows, and skips the comma or,
// at the end, the closing bracket.
func (d *digester) next(end byte) bool {
	at := d.text[d.at]
	if at == ',' || at == end {
		d.at++
	}
	return at != end
}

// string encodes the next string as its text, which it returns, and adds the hosts in it.
func (d *digester) string() string {
	rest, end, canHaveURL := d.text[d.at:], 1, false
	for ; rest[end] != '"'; end++ {
		if inURLs[rest[end]] {
			canHaveURL = true
			if rest[end] == '\\' {
				end++
			}
		}
	}
	text := rest[:end+1]
	d.at += len(text)
	d.encoded = append(d.encoded, text...)
	if canHaveURL && !d.noHosts {
		d.hosts.add(unquote(text))
	}
	return text
}

// literal returns the text of the next value that is neither an object nor a list.
func (d *digester) literal() string {
	start := d.at
	d.at = jsonvalue.LiteralEnd(d.text, start)
	return d.text[start:d.at]
}

func (d *digester) key(member item) []byte { return d.encoded[member.start:member.value] }

func (d *digester) sort(items []item) {
	slices.SortFunc(items, func(x, y item) int {
		return bytes.Compare(d.encoded[x.start:x.end], d.encoded[y.start:y.end])
	})
}
