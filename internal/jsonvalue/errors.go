// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"fmt"
	"strings"
)

// maxProblems is the number of problems that a MismatchError lists: ten thousand
// elements with the same mistake need not all be in it.
const maxProblems = 20

// MismatchError lists the places where a JSON document conflicts with the type
// or the options.
type MismatchError struct {
	// Problems has one line for each place, at most maxProblems of them:
	// "agent.canvas.annotations[3].zIndex: expected a number, got a string".
	Problems []string
	// Count is the number of all problems.
	Count int
}

func (e *MismatchError) add(location, problem string) {
	e.Count++
	if e.Count > maxProblems {
		return
	}
	if location != "" {
		problem = location + ": " + problem
	}
	e.Problems = append(e.Problems, problem)
}

// join adds the problems of another error.
func (e *MismatchError) join(other MismatchError) {
	e.Count += other.Count
	e.Problems = append(e.Problems, other.Problems[:min(len(other.Problems), maxProblems-len(e.Problems))]...)
}

// Error lists the problems, one on a line.
func (e *MismatchError) Error() string {
	text := strings.Join(e.Problems, "\n")
	if more := e.Count - len(e.Problems); more > 0 {
		text += fmt.Sprintf("\nand %d more", more)
	}
	return text
}

// SyntaxError reports a document that is not JSON. It never quotes the document.
type SyntaxError struct {
	// Offset is the number of the first wrong byte, from 1.
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
