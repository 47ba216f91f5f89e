package edge

import (
	"strings"
	"testing"

	"ams.internal/gateway/keys"
)

func FuzzBearer(f *testing.F) {
	f.Add("Bearer "+keys.Generate(keys.Live), "")
	f.Add("bearer\t x", "a=b")
	f.Fuzz(func(t *testing.T, header, query string) {
		value, refusal := bearer([]string{header}, query)
		if refusal == nil && (value == "" || !strings.Contains(header, value)) {
			t.Errorf("%q gave %q", header, value)
		}
	})
}
