// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package docs_test follows the links of the documentation to this repository and to the provider's pages.
package docs_test

import (
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
	registry = "https://registry.terraform.io/providers/convo/convo/latest/docs"
	gitHub   = "https://github.com/convo/terraform-provider-convo/blob/main/"
)

var (
	fences    = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	codeSpans = regexp.MustCompile("`[^`\n]*`")
	links     = regexp.MustCompile(`\]\(([^)\s]+)[^)]*\)`)
	headings  = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	notInSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

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
		text := codeSpans.ReplaceAllString(withoutFences(t, file), "")
		for _, link := range links.FindAllStringSubmatch(text, -1) {
			count++
			if err := follow(t, file, link[1]); err != nil {
				t.Errorf("%s: the link to %s is dead: %v", file, link[1], err)
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

// follow returns an error if nothing is where a link of a file leads. Other sites are not requested.
func follow(t *testing.T, file, link string) error {
	t.Helper()
	address, fragment, _ := strings.Cut(link, "#")
	page, isPage := strings.CutPrefix(address, registry)
	inRepository, isInRepository := strings.CutPrefix(address, gitHub)
	var target string
	switch {
	case isPage:
		target = path.Join("docs", page+".md")
		if page == "" {
			target = "docs/index.md"
		}
	case isInRepository:
		target = inRepository
	case strings.HasPrefix(address, "https://"):
		return nil
	case strings.HasPrefix(file, "docs/") && !strings.HasPrefix(link, "#nestedatt--"):
		return fmt.Errorf("the registries of Terraform and OpenTofu resolve it differently; begin it with %s or %s", registry, gitHub)
	case address == "":
		target = file
	default:
		target = path.Join(path.Dir(file), address)
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
