// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package docs_test follows the links of the documentation inside this repository, and checks its tables.
package docs_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	root     = "../.."
	registry = "https://registry.terraform.io/providers/convo/convo"
	gitHub   = "https://github.com/convo/terraform-provider-convo/blob/main/"
	images   = "https://raw.githubusercontent.com/convo/terraform-provider-convo/main/"
)

var (
	fences    = regexp.MustCompile("(?ms)^ *````.*?^ *````$|^ *```.*?^ *```$")
	codeSpans = regexp.MustCompile("`[^`\n]*`")
	links     = regexp.MustCompile(`\]\(([^)\s]+)[^)]*\)|(?:href|src|srcset)="([^"]+)"`)
	headings  = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	// emptyTables matches a table without rows, as a blank line in a table leaves one.
	emptyTables = regexp.MustCompile(`(?m)^\|.*\n\|[-|: ]+\|\n[^|]`)
	notInSlug   = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// All links lead somewhere, and all tables have rows.
func TestLinks(t *testing.T) {
	t.Parallel()
	count := 0
	err := fs.WalkDir(os.DirFS(root), ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{".git", ".terraform", "dist"}, entry.Name()) {
			return fs.SkipDir
		}
		if path.Ext(file) != ".md" {
			return nil
		}
		prose := withoutFences(t, file)
		if broken := emptyTables.FindString(prose); broken != "" {
			t.Errorf("%s: a table ends after its heading row:\n%s", file, broken)
		}
		text := codeSpans.ReplaceAllString(prose, "")
		for _, link := range links.FindAllStringSubmatch(text, -1) {
			count++
			if err := follow(t, file, link[1]+link[2]); err != nil {
				t.Errorf("%s: the link to %s is dead: %v", file, link[1]+link[2], err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 100 {
		t.Errorf("%d links were found, want at least 100", count)
	}
}

// The pictures are rendered from the sources that the provider writes now, which TestExamples
// compares. A browser is not necessary to check this.
func TestPictures(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	for _, pattern := range []string{"internal/tools/pictures/*.md", "docs/images/*.png"} {
		files, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%d files match %s: %v", len(files), pattern, err)
		}
		for _, file := range files {
			fmt.Fprintf(&want, "%x  %s\n", sha256.Sum256([]byte(readFile(t, filepath.Join(root, file)))), file)
		}
	}
	if got := readFile(t, filepath.Join(root, "internal/tools/pictures/rendered.sha256")); got != want.String() {
		t.Errorf("the pictures are outdated; run make pictures:\n%s", got)
	}
}

// follow returns an error if nothing is where a link of a file leads. Other sites are not requested.
func follow(t *testing.T, file, link string) error {
	t.Helper()
	address, fragment, _ := strings.Cut(link, "#")
	inRepository, isInRepository := strings.CutPrefix(strings.Replace(address, images, gitHub, 1), gitHub)
	var target string
	switch {
	case isInRepository:
		target = inRepository
	case strings.HasPrefix(address, registry):
		return errors.New("nothing is there before a release; write a relative link that ends in .md")
	case strings.HasPrefix(address, "https://"):
		return nil
	case address == "":
		target = file
	default:
		target = path.Join(path.Dir(file), address)
		// The registries show only these pages.
		if strings.HasPrefix(file, "docs/") && (!strings.HasPrefix(target, "docs/") || path.Ext(target) != ".md") {
			return fmt.Errorf("it is not a page of docs; begin it with %s", gitHub)
		}
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); err != nil || fragment == "" {
		return err
	}
	text := withoutFences(t, target)
	if strings.Contains(text, fmt.Sprintf("<a id=%q></a>", fragment)) {
		return nil
	}
	for _, heading := range headings.FindAllStringSubmatch(text, -1) {
		slug := notInSlug.ReplaceAllString(strings.ToLower(heading[1]), "")
		if strings.ReplaceAll(slug, " ", "-") == fragment {
			return nil
		}
	}
	return fmt.Errorf("%s has no heading #%s", target, fragment)
}

// withoutFences returns the text of a Markdown file without its blocks of code.
func withoutFences(t *testing.T, file string) string {
	t.Helper()
	text := strings.ReplaceAll(readFile(t, filepath.Join(root, file)), "\r\n", "\n")
	return fences.ReplaceAllString(text, "")
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
