package devstack

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFailedRequestsAreShownWithTheirCauses(t *testing.T) {
	logs := t.TempDir()
	for name, content := range map[string]string{
		"assets-1.log":  `{"level":"INFO","msg":"ready"}` + "\n" + `{"level":"ERROR","msg":"request failed","error":"the pool is empty"}` + "\n",
		"gateway-1.log": strings.Repeat(`{"level":"WARN","msg":"request failed","error":"no instance"}`+"\n", 25),
		"users-1.log":   `{"level":"INFO","msg":"ready"}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(logs, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	(&Stack{logs: logs}).ShowFailedRequests(&out)
	shown := out.String()
	if !strings.Contains(shown, "assets-1.log: ") || !strings.Contains(shown, "the pool is empty") ||
		strings.Count(shown, "no instance") != 20 || strings.Contains(shown, "ready") {
		t.Errorf("this is shown:\n%s", shown)
	}
}
