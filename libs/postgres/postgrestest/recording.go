package postgrestest

import (
	"bytes"
	"crypto/rand"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// record writes the distinct statements that are sent to the database at address by a conformance suite into a file of the folder that
// AMS_TEST_STATEMENTS names, for deploy/test/citus. It gives the address to be used in place of that; without the variable, or in any other
// test, the same.
func record(t testing.TB, schema, address string) string {
	folder := os.Getenv("AMS_TEST_STATEMENTS")
	if folder == "" || !strings.HasPrefix(t.Name(), "TestConformance") {
		return address
	}
	var mutex sync.Mutex
	statements := map[string]bool{}
	through := startProxy(t, address, func(client, server net.Conn) {
		go func() {
			_, _ = io.Copy(client, server)
			_ = client.Close()
		}()
		_ = eachMessage(server, client, func(kind byte, body []byte) {
			text := body
			switch kind {
			case 'P': // Parse: the name of the statement, then its text
				_, text, _ = bytes.Cut(body, []byte{0})
			case 'Q':
			default:
				return
			}
			text, _, _ = bytes.Cut(text, []byte{0})
			mutex.Lock()
			defer mutex.Unlock()
			statements[string(text)] = true
		})
		_ = server.Close()
	})
	t.Cleanup(func() {
		mutex.Lock()
		defer mutex.Unlock()
		var all strings.Builder
		for text := range statements {
			all.WriteString(text + "\x00")
		}
		if err := os.WriteFile(filepath.Join(folder, schema+"."+rand.Text()), []byte(all.String()), 0o600); err != nil {
			t.Errorf("postgrestest: %v", err)
		}
	})
	return through.String()
}
