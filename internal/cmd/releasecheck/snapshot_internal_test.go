// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	project = "terraform-provider-convo_1.2.3"
	archive = project + "_linux_amd64.zip"
	sums    = project + "_SHA256SUMS"
)

// Each fault of a release is found and named. The command runs at the root of
// the repository, and so does this test, alone.
func TestCheck(t *testing.T) {
	t.Chdir("../../..")
	for name, test := range map[string]struct {
		breakIt func(files map[string]string)
		want    string // nothing if there is no fault
	}{
		"a whole release": {breakIt: func(map[string]string) {}},
		"no license": {
			breakIt: func(files map[string]string) { files[archive] = zipped(t, "terraform-provider-convo_v1.2.3", "binary") },
			want:    `it contains ["terraform-provider-convo_v1.2.3"] instead of ["LICENSE" "terraform-provider-convo_v1.2.3"]`,
		},
		"another license": {
			breakIt: func(files map[string]string) {
				files[archive] = zipped(t, "terraform-provider-convo_v1.2.3", "binary", "LICENSE", "another")
			},
			want: "its LICENSE differs from the project's",
		},
		"no SBOM": {
			breakIt: func(files map[string]string) { delete(files, archive+".sbom.json") },
			want:    archive + ": no SBOM is attested",
		},
		"an SBOM in the checksums": {
			breakIt: func(files map[string]string) { files[sums] += "00  " + archive + ".sbom.json\n" },
			want:    sums + " contains " + archive + ".sbom.json, which is neither an archive nor the manifest",
		},
		"an archive that the checksums leave out": {
			breakIt: func(files map[string]string) { files[project+"_linux_arm64.zip"] = files[archive] },
			want:    sums + " does not contain " + project + "_linux_arm64.zip",
		},
		"a wrong checksum": {
			breakIt: func(files map[string]string) { files[archive] += " " },
			want:    archive + ": the checksum is ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := wholeRelease(t)
			sum := func(content string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(content))) }
			manifest, err := os.ReadFile("terraform-registry-manifest.json")
			if err != nil {
				t.Fatal(err)
			}
			files[sums] = sum(files[archive]) + "  " + archive + "\n" +
				sum(string(manifest)) + "  " + project + "_manifest.json\n"
			test.breakIt(files)
			err = snapshotOf(t, files).check()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestCompare(t *testing.T) {
	t.Chdir("../../..")
	files := wholeRelease(t)
	first := snapshotOf(t, files)
	if err := first.compare(snapshotOf(t, files)); err != nil {
		t.Error(err)
	}
	files[archive] += " "
	want := archive + " differs between two snapshots of the same commit"
	if err := first.compare(snapshotOf(t, files)); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// wholeRelease is the files of a release, with an empty list of checksums.
func wholeRelease(t *testing.T) map[string]string {
	t.Helper()
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		archive:                zipped(t, "terraform-provider-convo_v1.2.3", "binary", "LICENSE", string(license)),
		archive + ".sbom.json": "{}",
		sums:                   "",
	}
}

func snapshotOf(t *testing.T, files map[string]string) *snapshot {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// zipped is an archive of names and contents.
func zipped(t *testing.T, namesAndContents ...string) string {
	t.Helper()
	var buffer bytes.Buffer
	writer := zip.NewWriter(&buffer)
	for i := 0; i < len(namesAndContents); i += 2 {
		file, err := writer.Create(namesAndContents[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write([]byte(namesAndContents[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.String()
}
