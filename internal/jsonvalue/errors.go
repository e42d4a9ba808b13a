// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// whitespace is what may stand between JSON tokens.
const whitespace = " \t\r\n"

// maxMismatches is the number of mismatches that an error lists: ten thousand
// elements with the same mistake need not all be in it.
const maxMismatches = 20

// mismatches are the parts of a document that conflict with the type or the
// options, each on a line.
type mismatches struct {
	lines []string
	more  int // mismatches that are not listed
}

func (m mismatches) Error() string {
	if m.more > 0 {
		return fmt.Sprintf("%s\nand %d more", strings.Join(m.lines, "\n"), m.more)
	}
	return strings.Join(m.lines, "\n")
}

// SyntaxError reports a document that is not JSON. It never quotes the document.
type SyntaxError struct {
	// Offset is the number of a byte, from 1, at or shortly before the error.
	Offset int
	// Ended is true if the document ends in the middle of a value, as it does
	// if it was cut off. Offset is then the document's length, or 0 if the
	// document is empty but for white space.
	Ended bool
}

// Error describes the error in one line.
func (e *SyntaxError) Error() string {
	switch {
	case e.Offset == 0:
		return "the text is empty"
	case e.Ended:
		return fmt.Sprintf("the JSON text ends after %d bytes, in the middle of a value", e.Offset)
	}
	return fmt.Sprintf("unexpected character at byte %d", e.Offset)
}

// syntaxError turns an error of jsontext into one of this package.
func syntaxError(err error, document []byte) *SyntaxError {
	var syntactic *jsontext.SyntacticError
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || !errors.As(err, &syntactic) {
		return &SyntaxError{Offset: len(bytes.TrimRight(document, whitespace)), Ended: true}
	}
	return &SyntaxError{Offset: int(syntactic.ByteOffset) + 1}
}
