// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package jsonvalue reads JSON in one of two forms: structs with json tags, or a Value, which
// is a plain tree whose JSON is equal for equal content. Its rules for structs:
//
//   - null and an absent key become nil. "" and [] do not.
//   - A string accepts any JSON, and holds the text of a value that is not a string.
//   - JSON holds a value of any shape.
//   - A big.Float keeps the value of a number. A number with more than 400 digits
//     when it is written without an exponent is an error.
//   - Unknown keys are ignored. Equal keys in an object are an error, because other
//     programs may use another one of them.
//   - More than 10,000 levels of nesting are an error. Bytes that are not UTF-8
//     become the replacement character.
package jsonvalue

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrNotJSON reports a document that is not JSON, not even its beginning.
var ErrNotJSON = errors.New("not valid JSON")

// ErrNotObject reports a document that is JSON, but not an object.
var ErrNotObject = errors.New("expected an object")

// syntax accepts what other JSON parsers accept, too, except for equal keys.
var syntax = jsontext.AllowInvalidUTF8(true)

var unmarshalers = json.JoinUnmarshalers(json.UnmarshalFromFunc(decodeString), json.UnmarshalFromFunc(decodeNumber))

// Decode decodes a document into the struct to which target points, with further options.
//
// It returns ErrNotJSON with a position for a document that is not JSON, and ErrNotObject for
// one that is not an object. Any other error states that the document ends too early, or what
// stands before or after its JSON, or names the first equal key, or the first value that
// conflicts with the struct: "agent.canvas.annotations[3].zIndex: expected a number, got a
// string". It can contain keys of the document.
func Decode(document []byte, target any, options ...json.Options) error {
	options = append(options, syntax, json.WithUnmarshalers(unmarshalers))
	err := json.Unmarshal(document, target, options...)
	var conflict *json.SemanticError
	var invalid *jsontext.SyntacticError
	switch {
	case errors.As(err, &conflict):
		return describe(conflict)
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &invalid):
		return errors.New(pathOf(invalid.JSONPointer) + ": the key occurs twice")
	case errors.Is(err, io.ErrUnexpectedEOF) && len(bytes.TrimSpace(document)) > 0:
		return errors.New("the JSON text ends in the middle of a value")
	case errors.As(err, &invalid):
		return describeSyntax(document, int(invalid.ByteOffset))
	}
	return err
}

// describeSyntax describes the first character that is not JSON, without quoting it.
func describeSyntax(document []byte, offset int) error {
	before := document[:offset]
	position := fmt.Sprintf(
		"line %d, column %d",
		bytes.Count(before, []byte("\n"))+1,
		offset-bytes.LastIndexByte(before, '\n'),
	)
	switch {
	case bytes.HasPrefix(document, []byte("\uFEFF")):
		return errors.New("the JSON text begins with a byte order mark")
	case jsontext.Value(before).IsValid(syntax):
		return errors.New("more text follows the JSON text at " + position)
	}
	return fmt.Errorf("%w (%s)", ErrNotJSON, position)
}

// Missing returns the JSON names of the fields of a struct that have the tag required
// but no value. A field of a type without nil has none if it is zero.
func Missing(pointer any) []string {
	var names []string
	for field, value := range reflect.ValueOf(pointer).Elem().Fields() {
		if field.Tag.Get("required") != "" && value.IsZero() {
			names = append(names, field.Tag.Get("json"))
		}
	}
	return names
}

// JSON is the JSON of a value of any shape, as Value.JSON returns it.
type JSON string

// UnmarshalJSONFrom reads the next value.
func (j *JSON) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	var v Value
	err := v.UnmarshalJSONFrom(decoder)
	if err == nil {
		*j = JSON(v.JSON())
	}
	return err
}

// decodeString decodes a value that is not a string as its text.
func decodeString(decoder *jsontext.Decoder, target *string) error {
	if decoder.PeekKind() == '"' {
		return errors.ErrUnsupported // Package json decodes strings.
	}
	return (*JSON)(target).UnmarshalJSONFrom(decoder)
}

// maxDigits limits the digits and the exponent of a number, because Terraform writes all of a number's digits,
// which can then be decoded again. The limit includes every float64.
const maxDigits = 400

// precision is the number of bits that Terraform uses for a number.
const precision = 512

func decodeNumber(decoder *jsontext.Decoder, target *big.Float) error {
	kind := decoder.PeekKind()
	value, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	if kind != '0' {
		return fmt.Errorf("expected a number, got %s", jsonKinds[kind])
	}
	digits, exponent, _ := strings.Cut(strings.ToLower(string(value)), "e")
	shift, _ := strconv.Atoi(cmp.Or(exponent, "0")) // The nearest integer if it is too large.
	if len(digits) > maxDigits-max(shift, -shift) {
		return fmt.Errorf("the number has more than %d digits when it is written without an exponent", maxDigits)
	}
	_, _, err = target.SetPrec(precision).Parse(string(value), 10)
	return err
}

// describe describes a conflict between a document and a struct.
func describe(conflict *json.SemanticError) error {
	problem := fmt.Sprintf(
		"expected %s, got %s",
		goKinds[conflict.GoType.Kind()],
		jsonKinds[conflict.JSONKind],
	)
	if conflict.Err != nil { // of decodeNumber
		problem = conflict.Err.Error()
	}
	location := pathOf(conflict.JSONPointer)
	if location == "" {
		return fmt.Errorf("%w, got %s", ErrNotObject, jsonKinds[conflict.JSONKind])
	}
	return errors.New(location + ": " + problem)
}

// pathOf returns a pointer as a path: "agent.canvas.annotations[3].zIndex".
func pathOf(pointer jsontext.Pointer) string {
	location := ""
	for key := range pointer.Tokens() {
		if _, err := strconv.Atoi(key); err == nil {
			location += "[" + key + "]"
		} else {
			location += "." + key
		}
	}
	return strings.TrimPrefix(location, ".")
}

// jsonKinds names kinds of JSON values, and goKinds those that kinds of Go types hold.
var (
	jsonKinds = map[jsontext.Kind]string{
		'{': "an object", '[': "an array", '"': "a string", '0': "a number", 't': "a bool", 'f': "a bool", 'n': "null",
	}
	goKinds = map[reflect.Kind]string{reflect.Struct: "an object", reflect.Slice: "an array", reflect.Bool: "a bool"}
)
