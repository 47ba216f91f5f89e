//go:build night

package alerts

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Statements and expressions in the runbook are copied at night: PostgreSQL and Prometheus must understand each.
func (f *fixture) queryAsTheRunbook(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/operations/alerts.md"))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), f.stack.Description().PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	statements, expressions := 0, 0
	inline := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(string(text), "")
	for _, found := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(inline, -1) {
		code := found[1]
		switch {
		case strings.Contains(code, "pg_stat_statements"): // an extension that this server does not load
		case strings.HasPrefix(code, "SELECT "), strings.HasPrefix(code, "ANALYZE "):
			statements++
			if _, err := conn.Exec(t.Context(), strings.ReplaceAll(code, "PID", "0")); err != nil {
				t.Errorf("%s: %v", code, err)
			}
		case strings.HasPrefix(code, "topk("), strings.HasPrefix(code, "sum "):
			expressions++
			if len(f.query(t, code)) == 0 { // a service was down: there were failures
				t.Errorf("%s: nothing", code)
			}
		}
	}
	if statements < 5 || expressions < 2 {
		t.Errorf("only %d statements and %d expressions were found in the runbook", statements, expressions)
	}
}
