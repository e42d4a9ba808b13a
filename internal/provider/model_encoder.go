// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"fmt"
	"math/big"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/vmihailenco/msgpack/v5"
)

// modelEncoders has the encoder of each data source by its type name, because
// compiling one takes 0.1 ms for an agent.
type modelEncoders struct{ byType sync.Map }

// encode returns a model, which is a pointer to a struct with tfsdk tags, as a value
// of the given type.
func (e *modelEncoders) encode(typeName string, typ tftypes.Type, model any) (*tfprotov6.DynamicValue, error) {
	value := reflect.ValueOf(model).Elem()
	encode, ok := e.byType.Load(typeName)
	if !ok {
		compiled, err := newEncoder(typ, value.Type())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", typeName, err)
		}
		encode = compiled
		e.byType.Store(typeName, compiled)
	}
	var buffer bytes.Buffer
	if err := encode.(encoder)(msgpack.NewEncoder(&buffer), value); err != nil { //nolint:forcetypeassert // The map contains nothing else.
		return nil, err
	}
	return &tfprotov6.DynamicValue{MsgPack: buffer.Bytes()}, nil
}

// encoder writes values of one Go type as values of one Terraform type. A nil pointer,
// slice, or map becomes null.
type encoder func(*msgpack.Encoder, reflect.Value) error

// newEncoder returns the encoder from a Go type to a Terraform type. It fails if the
// Go type, or a part of it, cannot become the Terraform type.
func newEncoder(to tftypes.Type, from reflect.Type) (encoder, error) {
	switch {
	case from == reflect.TypeFor[*big.Float]() && to.Is(tftypes.Number):
		return nullable(encodeNumber), nil
	case from.Kind() == reflect.Pointer:
		encode, err := newEncoder(to, from.Elem())
		return nullable(func(e *msgpack.Encoder, v reflect.Value) error { return encode(e, v.Elem()) }), err
	case from.Kind() == reflect.String && to.Is(tftypes.String):
		return func(e *msgpack.Encoder, v reflect.Value) error { return e.EncodeString(v.String()) }, nil
	case from.Kind() == reflect.Bool && to.Is(tftypes.Bool):
		return func(e *msgpack.Encoder, v reflect.Value) error { return e.EncodeBool(v.Bool()) }, nil
	case from.Kind() == reflect.Int && to.Is(tftypes.Number):
		return func(e *msgpack.Encoder, v reflect.Value) error { return e.EncodeInt(v.Int()) }, nil
	}
	switch typ := to.(type) {
	case tftypes.Object:
		if from.Kind() == reflect.Struct {
			return newObjectEncoder(typ, from)
		}
	case tftypes.Map:
		if from.Kind() == reflect.Map {
			return newMapEncoder(typ, from)
		}
	case tftypes.List:
		if from.Kind() == reflect.Slice {
			return newListEncoder(typ.ElementType, from)
		}
	case tftypes.Set:
		if from.Kind() == reflect.Slice {
			return newListEncoder(typ.ElementType, from)
		}
	}
	return nil, fmt.Errorf("%s cannot become %s", from, to)
}

// nullable returns an encoder for values that can be nil.
func nullable(encode encoder) encoder {
	return func(e *msgpack.Encoder, v reflect.Value) error {
		if v.IsNil() {
			return e.EncodeNil()
		}
		return encode(e, v)
	}
}

// encodeNumber writes a number as terraform-plugin-go does: as text if it is neither
// an int64 nor an exact fraction.
func encodeNumber(e *msgpack.Encoder, v reflect.Value) error {
	number := v.Interface().(*big.Float) //nolint:forcetypeassert // newEncoder has checked it.
	if n, accuracy := number.Int64(); accuracy == big.Exact {
		return e.EncodeInt(n)
	}
	if n, accuracy := number.Float64(); accuracy == big.Exact && !number.IsInt() {
		return e.EncodeFloat64(n)
	}
	return e.EncodeString(number.Text('f', -1))
}

// newObjectEncoder requires exactly one field, with its name in the tfsdk tag, for
// each attribute.
func newObjectEncoder(to tftypes.Object, from reflect.Type) (encoder, error) {
	type attribute struct {
		name   string
		index  []int // of the field
		encode encoder
	}
	var attributes []attribute
	for _, field := range reflect.VisibleFields(from) {
		name := field.Tag.Get("tfsdk")
		if name == "" {
			continue
		}
		attributeType, ok := to.AttributeTypes[name]
		if !ok {
			return nil, fmt.Errorf("the schema has no attribute %s", name)
		}
		encode, err := newEncoder(attributeType, field.Type)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		attributes = append(attributes, attribute{name, field.Index, encode})
	}
	if len(attributes) != len(to.AttributeTypes) {
		return nil, fmt.Errorf("%s has %d fields for %d attributes", from, len(attributes), len(to.AttributeTypes))
	}
	return func(e *msgpack.Encoder, v reflect.Value) error {
		if err := e.EncodeMapLen(len(attributes)); err != nil {
			return err
		}
		for _, a := range attributes {
			if err := e.EncodeString(a.name); err != nil {
				return err
			}
			if err := a.encode(e, v.FieldByIndex(a.index)); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

func newListEncoder(elementType tftypes.Type, from reflect.Type) (encoder, error) {
	encode, err := newEncoder(elementType, from.Elem())
	return nullable(func(e *msgpack.Encoder, v reflect.Value) error {
		if err := e.EncodeArrayLen(v.Len()); err != nil {
			return err
		}
		for i := range v.Len() {
			if err := encode(e, v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}), err
}

func newMapEncoder(to tftypes.Map, from reflect.Type) (encoder, error) {
	encode, err := newEncoder(to.ElementType, from.Elem())
	return nullable(func(e *msgpack.Encoder, v reflect.Value) error {
		if err := e.EncodeMapLen(v.Len()); err != nil {
			return err
		}
		for entry := v.MapRange(); entry.Next(); {
			if err := e.EncodeString(entry.Key().String()); err != nil {
				return err
			}
			if err := encode(e, entry.Value()); err != nil {
				return err
			}
		}
		return nil
	}), err
}
