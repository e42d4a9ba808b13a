// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"fmt"
	"strings"
)

// maxProblems is how many problems a MismatchError keeps: ten thousand
// elements with the same mistake are one mistake.
const maxProblems = 20

// MismatchError says where a JSON document is not as the type wants it.
type MismatchError struct {
	// Problems has one line for each place, at most maxProblems of them:
	// "agent.canvas.annotations[3].zIndex: expected a number, got a string".
	Problems []string
	// Count is how many there are in all.
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

// SyntaxError says that a document is not JSON.
type SyntaxError struct {
	// Offset is how many bytes were read before it showed.
	Offset int64
	// Ended says that the document stops in the middle of a value, as one
	// does that was cut off. Offset is then its length, or 0 if there is
	// nothing in it.
	Ended bool
}

// Error says in one line what is wrong.
func (e *SyntaxError) Error() string {
	switch {
	case e.Ended && e.Offset == 0:
		return "the document is empty"
	case e.Ended:
		return fmt.Sprintf("the JSON document ends after %d bytes, in the middle of a value", e.Offset)
	}
	return fmt.Sprintf("the document is not JSON at byte %d", e.Offset)
}
