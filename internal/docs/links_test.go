// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package docs_test follows every link of the documentation, on each site that
// shows it.
package docs_test

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	root = "../.."

	terraformRegistry = "https://registry.terraform.io/providers/convo/convo/latest/docs"
	openTofuRegistry  = "https://search.opentofu.org/provider/convo/convo/latest"
	gitHub            = "https://github.com/convo/terraform-provider-convo/blob/main/"
)

// Every link of the documentation leads to a page, and every fragment to a place
// on it, from wherever it is read: Terraform's registry, OpenTofu's, or GitHub.
func TestLinks(t *testing.T) {
	t.Parallel()
	site := readSite(t)
	links := 0
	for _, page := range site.pages {
		for _, link := range page.links {
			links++
			for reader, err := range site.follow(t, page, link) {
				if err != nil {
					t.Errorf("%s: for a reader of %s, the link to %s is dead: %v", page.file, reader, link, err)
				}
			}
		}
	}
	if links < 100 {
		t.Errorf("%d links were found in %d pages, want at least 100", links, len(site.pages))
	}
}

// The test finds the faults that it is there for.
func TestDeadLinksAreFound(t *testing.T) {
	t.Parallel()
	site := site{pages: []*page{
		parse("docs/index.md", "# Convo\n\n## What Is Stored\n"),
		parse("docs/guides/audit.md", "# Audit\n\n<a id=\"nestedatt--agents\"></a>\n\n```\n# Not a heading\n```\n\n## `plan` in CI\n"),
		parse("docs/data-sources/agent.md", "# Agent\n"),
		parse("docs/ephemeral-resources/agent.md", "# Agent\n"),
	}}
	for _, test := range []struct {
		file, link string
		alive      string // the initials of the sites on which the link leads somewhere
	}{
		{"docs/index.md", "guides/audit.md", "G"},
		{"docs/index.md", "docs/guides/audit", "T"},
		{"docs/index.md", "latest/docs/guides/audit", "O"},
		{"docs/index.md", terraformRegistry + "/guides/audit", "GOT"},
		{"docs/index.md", terraformRegistry + "/guides/missing", ""},
		{"docs/index.md", terraformRegistry + "/ephemeral-resources/agent", "GOT"},
		{"docs/index.md", openTofuRegistry + "/docs/ephemeral-resources/agent", ""},
		{"docs/index.md", openTofuRegistry + "/docs/datasources/agent", "GOT"},
		{"docs/index.md", "#what-is-stored", "GT"},
		{"docs/guides/audit.md", terraformRegistry + "#what-is-stored", "GOT"},
		{"docs/guides/audit.md", terraformRegistry + "#what-was-stored", ""},
		{"docs/guides/audit.md", "#nestedatt--agents", "GOT"},
		{"docs/guides/audit.md", "#plan-in-ci", "GT"},
		{"docs/guides/audit.md", "#not-a-heading", ""},
		{"docs/guides/audit.md", "audit.md", "GO"},
		{"docs/guides/audit.md", "../index.md", "G"},
		{"docs/guides/audit.md", "../data-sources/agent", "T"},
		{"docs/guides/audit.md", gitHub + "docs/index.md#what-is-stored", "GOT"},
		{"docs/guides/audit.md", "http://other.example", ""},
		{"docs/guides/audit.md", "https://other.example", "GOT"},
		{"docs/ephemeral-resources/agent.md", "../guides/audit", "T"},
	} {
		index := slices.IndexFunc(site.pages, func(p *page) bool { return p.file == test.file })
		var alive []string
		for reader, err := range site.follow(t, site.pages[index], test.link) {
			if err == nil {
				alive = append(alive, map[string]string{terraformRegistry: "T", openTofuRegistry: "O", gitHub: "G"}[reader])
			}
		}
		slices.Sort(alive)
		if got := strings.Join(alive, ""); got != test.alive {
			t.Errorf("%s: the link to %s is alive on %q, want %q", test.file, test.link, got, test.alive)
		}
	}
}

// page is a Markdown file.
type page struct {
	file     string // relative to the root
	links    []string
	headings []string // slugs
	ids      []string // of HTML anchors
}

// urls returns where the page is shown: by registry, the URL that relative links
// resolve against.
func (p *page) urls() map[string]*url.URL {
	urls := map[string]string{gitHub: gitHub + p.file}
	if name, found := strings.CutPrefix(p.file, "docs/"); found {
		name = strings.TrimSuffix(name, ".md")
		kind, _, _ := strings.Cut(name, "/")
		switch kind {
		case "index":
			urls[terraformRegistry], urls[openTofuRegistry] = terraformRegistry, openTofuRegistry
		case "resources", "functions", "guides":
			urls[terraformRegistry], urls[openTofuRegistry] = terraformRegistry+"/"+name, openTofuRegistry+"/docs/"+name
		case "data-sources":
			urls[terraformRegistry] = terraformRegistry + "/" + name
			urls[openTofuRegistry] = openTofuRegistry + "/docs/datasources/" + path.Base(name)
		default: // OpenTofu's registry does not show the other kinds.
			urls[terraformRegistry] = terraformRegistry + "/" + name
		}
	}
	parsed := map[string]*url.URL{}
	for reader, address := range urls {
		parsed[reader], _ = url.Parse(address)
	}
	return parsed
}

// anchors returns the fragments that lead to a place on the page. OpenTofu's
// registry puts a prefix before the anchors of a page, but not before those that
// it gives to headings.
func (p *page) anchors(reader string) []string {
	anchors := slices.Clone(p.headings)
	for _, id := range p.ids {
		if reader == openTofuRegistry {
			id = "user-content-" + id
		}
		anchors = append(anchors, id)
	}
	return anchors
}

// reworkedByOpenTofu is what OpenTofu's registry makes of a link. It puts the
// prefix before every fragment of the page itself, and strips the extension if
// there is no slash; any other relative link stays as it is.
func reworkedByOpenTofu(link string) string {
	if strings.Contains(link, "/") {
		return link
	}
	name, fragment, found := strings.Cut(link, "#")
	name = strings.TrimSuffix(name, ".md")
	if found {
		return name + "#user-content-" + fragment
	}
	return name
}

// site is what links lead to.
type site struct{ pages []*page }

// follow returns what each site that shows a page makes of a link on it: nil if
// the link leads somewhere.
func (s *site) follow(t *testing.T, from *page, link string) map[string]error {
	t.Helper()
	results := map[string]error{}
	for reader, base := range from.urls() {
		reference := link
		if reader == openTofuRegistry {
			reference = reworkedByOpenTofu(link)
		}
		target, err := base.Parse(reference)
		if err != nil {
			t.Fatalf("%s: %v", from.file, err)
		}
		results[reader] = s.visit(target)
	}
	return results
}

// visit returns an error if nothing is where a URL points. Other hosts are not
// requested.
func (s *site) visit(target *url.URL) error {
	address, _, _ := strings.Cut(target.String(), "#")
	for _, page := range s.pages {
		for reader, location := range page.urls() {
			if location.String() != address {
				continue
			}
			if target.Fragment != "" && !slices.Contains(page.anchors(reader), target.Fragment) {
				return fmt.Errorf("%s has no anchor #%s there", page.file, target.Fragment)
			}
			return nil
		}
	}
	if name, found := strings.CutPrefix(address, gitHub); found {
		_, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
		return err
	}
	for _, known := range []string{"https://registry.terraform.io/providers/convo/", "https://search.opentofu.org/provider/convo/"} {
		if strings.HasPrefix(address, known) {
			return fmt.Errorf("%s is no page", address)
		}
	}
	if target.Scheme != "https" {
		return fmt.Errorf("the scheme of %s is not https", target)
	}
	return nil
}

func readSite(t *testing.T) site {
	t.Helper()
	var result site
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{".git", ".terraform", "dist"}, entry.Name()) {
			return fs.SkipDir
		}
		if entry.IsDir() || path.Ext(name) != ".md" {
			return nil
		}
		content, err := os.ReadFile(filepath.Join(root, name))
		result.pages = append(result.pages, parse(name, string(content)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

var (
	fences    = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	codeSpans = regexp.MustCompile("`[^`\n]*`")
	linkForms = regexp.MustCompile(`(?m)\]\(([^)\s]+)[^)]*\)|^\[[^\]]+\]: (\S+)|href="([^"]+)"`)
	headings  = regexp.MustCompile(`(?m)^#{1,6} +(.*?) *#*$`)
	htmlIDs   = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
	linkTexts = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	notInSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

func parse(file, content string) *page {
	p := &page{file: file}
	content = fences.ReplaceAllString(strings.ReplaceAll(content, "\r\n", "\n"), "")
	seen := map[string]int{}
	for _, match := range headings.FindAllStringSubmatch(content, -1) {
		text := strings.ToLower(linkTexts.ReplaceAllString(match[1], "$1"))
		slug := strings.ReplaceAll(notInSlug.ReplaceAllString(text, ""), " ", "-")
		if count := seen[slug]; count > 0 {
			p.headings = append(p.headings, fmt.Sprintf("%s-%d", slug, count))
		} else {
			p.headings = append(p.headings, slug)
		}
		seen[slug]++
	}
	for _, match := range htmlIDs.FindAllStringSubmatch(content, -1) {
		p.ids = append(p.ids, match[1])
	}
	for _, match := range linkForms.FindAllStringSubmatch(codeSpans.ReplaceAllString(content, ""), -1) {
		p.links = append(p.links, match[1]+match[2]+match[3])
	}
	return p
}
