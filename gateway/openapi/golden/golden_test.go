package golden

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestTheFilesThatClientsAreMadeFromAreFresh(t *testing.T) {
	const root = "../../.."
	views, err := Views(root)
	if err != nil {
		t.Fatal(err)
	}
	files, err := Files(views)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the services document (%v): run make clients", name, err)
		}
	}
}
