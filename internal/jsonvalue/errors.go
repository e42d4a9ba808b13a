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

// maxDepth is the number of levels of nesting that jsontext and encoding/json
// accept.
const maxDepth = 10_000

// whitespace is what may stand between JSON tokens.
const whitespace = " \t\r\n"

// maxMismatches is the number of mismatches that an error lists: ten thousand
// elements with the same mistake need not all be in it.
const maxMismatches = 20

// mismatches are the parts of a document that conflict with the type or the
// options, each on a line.
type mismatches struct {
	lines []string
	count int
}

func (m *mismatches) add(location, problem string) {
	m.count++
	if m.count > maxMismatches {
		return
	}
	if location != "" {
		problem = location + ": " + problem
	}
	m.lines = append(m.lines, problem)
}

func (m mismatches) Error() string {
	text := strings.Join(m.lines, "\n")
	if more := m.count - len(m.lines); more > 0 {
		text += fmt.Sprintf("\nand %d more", more)
	}
	return text
}

// SyntaxError reports a document that is not JSON. It never quotes the document.
type SyntaxError struct {
	// Offset is the number of a byte, from 1, at or shortly before the error.
	Offset int64
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

// documentError turns an error of jsontext into one of this package. The content
// is the end of the document.
func documentError(err error, document, content []byte) error {
	var syntactic *jsontext.SyntacticError
	switch {
	case len(bytes.TrimLeft(content, whitespace)) == 0:
		return &SyntaxError{Ended: true}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &SyntaxError{Offset: int64(len(document)), Ended: true}
	case !errors.As(err, &syntactic):
		return err
	}
	offset := int(syntactic.ByteOffset)
	if opens := offset < len(content) && (content[offset] == '{' || content[offset] == '['); opens && strings.Count(string(syntactic.JSONPointer), "/") >= maxDepth {
		return errors.New("the document is nested more than 10,000 levels deep")
	}
	return &SyntaxError{Offset: int64(len(document) - len(content) + offset + 1)}
}
