// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// snapshot is the directory in which goreleaser leaves a release.
type snapshot struct {
	dir      string
	archives []string
	sboms    []string
	sums     string
}

func open(dir string) (*snapshot, error) {
	s := &snapshot{dir: dir}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		switch name := entry.Name(); {
		case filepath.Ext(name) == ".zip":
			s.archives = append(s.archives, name)
		case strings.HasSuffix(name, "_SHA256SUMS"):
			s.sums = name
		}
	}
	if len(s.archives) == 0 || s.sums == "" {
		return nil, fmt.Errorf("%s has no archives or no checksums", dir)
	}
	s.sboms, err = attested(dir)
	return s, err
}

var attestedPath = regexp.MustCompile(`(?m)^ +subject-path: dist/(\S+)$`)

// attested returns the files that the workflow attests in addition to those in
// the checksums.
func attested(dir string) ([]string, error) {
	workflow, err := os.ReadFile(filepath.Join(".github", "workflows", "release.yml"))
	if err != nil {
		return nil, err
	}
	pattern := attestedPath.FindSubmatch(workflow)
	if pattern == nil {
		return nil, errors.New("the release workflow attests no SBOMs")
	}
	paths, err := filepath.Glob(filepath.Join(dir, string(pattern[1])))
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names, err
}

// check returns every fault of the snapshot.
func (s *snapshot) check() error {
	var faults []error
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	for _, name := range s.archives {
		if err := s.checkArchive(name, license); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
		if !slices.Contains(s.sboms, name+".sbom.json") {
			faults = append(faults, fmt.Errorf("%s: no SBOM is attested", name))
		}
	}
	return errors.Join(append(faults, s.checkSums())...)
}

func (s *snapshot) checkArchive(name string, license []byte) error {
	archive, err := zip.OpenReader(filepath.Join(s.dir, name))
	if err != nil {
		return err
	}
	defer func() { _ = archive.Close() }()
	// terraform-provider-convo_1.2.3_linux_amd64.zip has terraform-provider-convo_v1.2.3.
	project, rest, _ := strings.Cut(name, "_")
	version, _, _ := strings.Cut(rest, "_")
	binary := project + "_v" + version
	if strings.Contains(name, "_windows_") {
		binary += ".exe"
	}
	var names []string
	for _, file := range archive.File {
		names = append(names, file.Name)
	}
	slices.Sort(names)
	if want := []string{"LICENSE", binary}; !slices.Equal(names, want) {
		return fmt.Errorf("it contains %q instead of %q", names, want)
	}
	file, err := archive.Open("LICENSE")
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(file)
	if err == nil && !bytes.Equal(content, license) {
		err = errors.New("its LICENSE differs from the project's")
	}
	return err
}

// checkSums compares the checksums with the files. Each of them is a line in the
// lock file of every user, so that nothing else may be among them.
func (s *snapshot) checkSums() error {
	content, err := os.ReadFile(filepath.Join(s.dir, s.sums))
	if err != nil {
		return err
	}
	manifest := strings.TrimSuffix(s.sums, "_SHA256SUMS") + "_manifest.json"
	want := map[string]string{manifest: "terraform-registry-manifest.json"}
	for _, name := range s.archives {
		want[name] = filepath.Join(s.dir, name)
	}
	var faults []error
	for line := range strings.Lines(string(content)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		path, found := want[name]
		if !found {
			faults = append(faults, fmt.Errorf("%s contains %s, which is neither an archive nor the manifest", s.sums, name))
			continue
		}
		delete(want, name)
		file, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(file)); got != sum {
			faults = append(faults, fmt.Errorf("%s: the checksum is %s, but %s contains %s", name, got, s.sums, sum))
		}
	}
	for name := range want {
		faults = append(faults, fmt.Errorf("%s does not contain %s", s.sums, name))
	}
	return errors.Join(faults...)
}

// compare returns an error for each file that differs in the other snapshot.
func (s *snapshot) compare(other *snapshot) error {
	var faults []error
	for _, name := range append(slices.Clone(s.archives), s.sums) {
		one, err := os.ReadFile(filepath.Join(s.dir, name))
		if err != nil {
			return err
		}
		two, err := os.ReadFile(filepath.Join(other.dir, name))
		if err != nil {
			return err
		}
		if !bytes.Equal(one, two) {
			faults = append(faults, fmt.Errorf("%s differs between two snapshots of the same commit", name))
		}
	}
	return errors.Join(faults...)
}
