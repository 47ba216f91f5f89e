package releasing

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatClientsAreMadeOfIsMadeAnewOnlyWhereItIsNotFresh runs the real script in a small checkout, where a stand-in for Go "compiles" a
// program that writes the document, and makes types of it.
func TestWhatClientsAreMadeOfIsMadeAnewOnlyWhereItIsNotFresh(t *testing.T) {
	t.Parallel()
	folder, programs := t.TempDir(), t.TempDir()
	const (
		script  = "deploy/tools/clients.sh"
		golden  = "services/assets/testdata/openapi.json"
		types   = "deploy/clients/go/types.gen.go"
		patches = "deploy/clients/go/patches.gen.go"
	)
	write(t, filepath.Join(folder, script), read(t, root+"/"+script))
	write(t, filepath.Join(folder, golden), "pumps")
	write(t, filepath.Join(folder, "deploy/clients/go/internal/generate/main.go"), "package main")
	write(t, filepath.Join(folder, "deploy/tools/oapi-codegen/go.mod"), "module x")
	write(t, filepath.Join(programs, "go"), `#!/usr/bin/env bash
set -e
if [ "$1" = build ]; then
  echo '#!/usr/bin/env bash' > bin/openapi
  echo 'cp services/assets/testdata/openapi.json deploy/clients/openapi.json; : > deploy/clients/postman.json' >> bin/openapi
  chmod +x bin/openapi
else
  cp ../openapi.json types.gen.go
  [ ! -f ../../../killed ] # half of it is written
  cp ../openapi.json patches.gen.go
fi
`)
	made := func(want bool) {
		t.Helper()
		said, fine := run(t, folder, "env", "PATH="+programs+":"+os.Getenv("PATH"), script, "go")
		_, killed := os.Stat(filepath.Join(folder, "killed"))
		if fine == (killed == nil) || strings.Contains(said, "Making go") != want {
			t.Fatalf("it says %q", said)
		}
		for _, name := range []string{types, patches} {
			if killed != nil && read(t, filepath.Join(folder, name)) != read(t, filepath.Join(folder, golden)) {
				t.Errorf("%s is stale", name)
			}
		}
	}
	made(true)
	made(false)
	write(t, filepath.Join(folder, golden), "pumps and valves")
	made(true)
	write(t, filepath.Join(folder, patches), "changed by hand")
	made(true)
	if err := os.Remove(filepath.Join(folder, types)); err != nil {
		t.Fatal(err)
	}
	made(true)
	write(t, filepath.Join(folder, "killed"), "")
	write(t, filepath.Join(folder, golden), "pumps")
	made(true)
	if err := os.Remove(filepath.Join(folder, "killed")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, golden), "pumps and valves") // as before it was killed
	made(true)
	made(false)
}
