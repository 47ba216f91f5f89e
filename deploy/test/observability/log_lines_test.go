//go:build night

package observability

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ams.internal/libs/testwait"
)

// testLogLines reads the lines that the programs have really written: each is JSON; one that is about a request names it, its
// trace and whose it is; none has a secret.
func (f *fixture) testLogLines(t *testing.T, key string) {
	organization := f.organization(t).ID
	_, value := f.key(t, 1000)
	f.must(t, 401, "ams_live_unknown", "GET", "/v1/assets?key="+value, nil)
	f.sql(t, "REVOKE SELECT ON assets.asset FROM ams_assets")
	failed := f.must(t, 500, value, "GET", "/v1/assets", nil)
	f.sql(t, "GRANT SELECT ON assets.asset TO ams_assets")
	f.must(t, 200, value, "POST", "/mcp", map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": "no_such_tool", "arguments": map[string]any{}}}, "Accept", "application/json, text/event-stream")

	var about []string // the programs that wrote about the failed request
	testwait.ForSuccess(t, timeout, "the gateway and the service tell of the failed request", func() error {
		about = nil
		for program, lines := range f.lines(t) {
			for _, line := range lines {
				if strings.Contains(line, failed.request()) {
					about = append(about, program)
				}
			}
		}
		if all := strings.Join(about, " "); !strings.Contains(all, "gateway-1") || !strings.Contains(all, "assets-1") {
			return errors.New("only " + all)
		}
		return nil
	})
	keyed := 0
	for program, lines := range f.lines(t) {
		for _, line := range lines {
			f.checkNoSecret(t, "a line of "+program, line)
			var fields map[string]any
			if err := json.Unmarshal([]byte(line), &fields); err != nil {
				t.Errorf("a line of %s is not JSON: %s", program, line)
				continue
			}
			if fields["service"] == nil || fields["time"] == nil || fields["level"] == nil {
				t.Errorf("a line of %s does not say who wrote it, when and how important it is: %s", program, line)
			}
			if fields["request_id"] != nil && (fields["trace_id"] == nil || fields["span_id"] == nil) {
				t.Errorf("a line of %s names a request and not its trace: %s", program, line)
			}
			if fields["request_id"] == failed.request() && (fields["organization_id"] != organization || fields["key_id"] == nil) {
				t.Errorf("a line of %s does not say whose request failed: %s", program, line)
			}
			for _, name := range []string{`"service"`, `"organization_id"`, `"key_id"`, `"request_id"`, `"trace_id"`} {
				if strings.Count(line, name+":") > 1 {
					t.Errorf("a line of %s says %s twice: %s", program, name, line)
				}
			}
			if fields["key_id"] == key && fields["organization_id"] == organization && fields["path"] == "/v1/assets" {
				keyed++
			}
		}
	}
	if keyed == 0 {
		t.Error("no line of the access log names the key")
	}
}
