// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"math/big"
	"strconv"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/vmihailenco/msgpack/v5"
)

// encode returns a value in MessagePack. tfprotov6.NewDynamicValue takes more than
// twice as long, because it keeps the path of each value for its errors, and it
// rounds some fractions.
func encode(value tftypes.Value) ([]byte, error) {
	var buffer bytes.Buffer
	err := encodeTo(msgpack.NewEncoder(&buffer), value)
	return buffer.Bytes(), err
}

func encodeTo(e *msgpack.Encoder, value tftypes.Value) error {
	typ := value.Type()
	switch {
	case !value.IsKnown():
		return e.Encode(unknownValue)
	case value.IsNull():
		return e.EncodeNil()
	case typ.Is(tftypes.String):
		var text string
		if err := value.As(&text); err != nil {
			return err
		}
		return e.EncodeString(text)
	case typ.Is(tftypes.Bool):
		var flag bool
		if err := value.As(&flag); err != nil {
			return err
		}
		return e.EncodeBool(flag)
	case typ.Is(tftypes.Number):
		return encodeNumber(e, value)
	case typ.Is(tftypes.Object{}), typ.Is(tftypes.Map{}):
		return encodeMap(e, value)
	}
	return encodeList(e, value)
}

// unknownValue is any unknown value: an extension of type 0.
var unknownValue = msgpack.RawMessage{0xd4, 0, 0}

// encodeNumber writes a number as an integer or a float64, which are cheap for
// Terraform, only if Terraform then has the same decimal.
func encodeNumber(e *msgpack.Encoder, value tftypes.Value) error {
	var number big.Float
	if err := value.As(&number); err != nil {
		return err
	}
	if n, accuracy := number.Int64(); accuracy == big.Exact {
		return e.EncodeInt(n)
	}
	if f, accuracy := number.Float64(); accuracy == big.Exact {
		shown, _ := new(big.Float).SetPrec(512).SetString(strconv.FormatFloat(f, 'f', -1, 64))
		if shown.Cmp(&number) == 0 {
			return e.EncodeFloat64(f)
		}
	}
	return e.EncodeString(number.Text('f', -1))
}

func encodeMap(e *msgpack.Encoder, value tftypes.Value) error {
	var elements map[string]tftypes.Value
	if err := value.As(&elements); err != nil {
		return err
	}
	if err := e.EncodeMapLen(len(elements)); err != nil {
		return err
	}
	for key, element := range elements {
		if err := e.EncodeString(key); err != nil {
			return err
		}
		if err := encodeTo(e, element); err != nil {
			return err
		}
	}
	return nil
}

// encodeList writes a list, a set or a tuple.
func encodeList(e *msgpack.Encoder, value tftypes.Value) error {
	var elements []tftypes.Value
	if err := value.As(&elements); err != nil {
		return err
	}
	if err := e.EncodeArrayLen(len(elements)); err != nil {
		return err
	}
	for _, element := range elements {
		if err := encodeTo(e, element); err != nil {
			return err
		}
	}
	return nil
}
