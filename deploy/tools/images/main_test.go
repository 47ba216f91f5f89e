package main

import (
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// A registry lists both documents of the image that was pushed, and the image is what it was in the layout.
func TestAnImageIsPushedWithWhatIsAttachedToIt(t *testing.T) {
	folder := t.TempDir()
	for file, content := range map[string]string{"program": "a program", "certificates": "certificates", "sbom": `{"bomFormat":"CycloneDX"}`,
		"tree":       `{"bomFormat":"CycloneDX","version":2}`,
		"provenance": `{"subject":[{"digest":{"sha256":"IMAGE_SHA256"}}]}`} {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1764115200")
	t.Setenv("AMS_CERTIFICATES", filepath.Join(folder, "certificates"))
	of := func(file string) string { return filepath.Join(folder, file) }
	layout := of("layout")
	if err := run([]string{"make", layout, "ams", of("provenance"), "/amsctl=" + of("program") + "=" + of("sbom"),
		"/program=" + of("program") + "=" + of("tree")}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithReferrersSupport(true)))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	if err := run([]string{"push", layout, host, "1.0.0"}); err != nil {
		t.Fatal(err)
	}
	reference, err := name.ParseReference(host + "/ams:1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	image, err := remote.Image(reference)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil || config.Config.User != "65532:65532" || !slices.Equal(config.Config.Entrypoint, []string{"/program"}) ||
		config.Created.Unix() != 1764115200 || len(config.RootFS.DiffIDs) != 1 {
		t.Errorf("%+v %v", config, err)
	}
	digest, err := image.Digest()
	if err != nil {
		t.Fatal(err)
	}
	listed, err := remote.Referrers(reference.Context().Digest(digest.String()))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := listed.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, each := range manifest.Manifests {
		kinds[each.ArtifactType] = true
		document, err := remote.Image(reference.Context().Digest(each.Digest.String()))
		if err != nil {
			t.Fatal(err)
		}
		layers, err := document.Layers()
		if err != nil || len(layers) != 1 {
			t.Fatalf("%d layers: %v", len(layers), err)
		}
		if each.ArtifactType != provenanceType {
			continue
		}
		stream, err := layers[0].Compressed()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(stream)
		if err != nil || !strings.Contains(string(content), digest.Hex) {
			t.Errorf("how it was made is said of another image: %s %v", content, err)
		}
	}
	if len(manifest.Manifests) != 3 || len(kinds) != 2 || !kinds[sbomType] || !kinds[provenanceType] {
		t.Errorf("attached are %v", kinds)
	}
}
