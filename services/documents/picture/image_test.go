package picture

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestTheImageNeedsNoLoader: images are made from nothing, so their programs must not import a library of the machine, as the decoder of
// HEIC does unless a tag says otherwise.
func TestTheImageNeedsNoLoader(t *testing.T) {
	dockerfile, err := os.ReadFile("../../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	tags := regexp.MustCompile(`-tags (\S+)`).FindSubmatch(dockerfile)
	if tags == nil {
		t.Fatal("the Dockerfile builds without tags")
	}
	for with, want := range map[string]bool{string(tags[1]): false, "": true} {
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", with, ".")
		list.Env = append(os.Environ(), "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(out), "github.com/ebitengine/purego"); got != want {
			t.Errorf("with the tags %q: imports the loader: %t", with, got)
		}
	}
}
