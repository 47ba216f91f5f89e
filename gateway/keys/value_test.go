package keys

import (
	"crypto/sha256"
	"strings"
	"testing"
)

func TestGeneratedKeys(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		value := Generate()
		if len(value) != 58 || !strings.HasPrefix(value, "ams_live_") || seen[value] {
			t.Fatalf("%q", value)
		}
		seen[value] = true
		hash, err := Parse(value)
		if err != nil || hash != sha256.Sum256([]byte(value)) {
			t.Fatalf("%q: %v", value, err)
		}
		if display := Display(value); display != value[:13]+"…" {
			t.Errorf("shown as %q", display)
		}
	}
}

func TestEveryMistypedCharacterIsNoticed(t *testing.T) {
	value := Generate()
	for i := range len(value) {
		for _, c := range "aZ09_é " {
			if changed := value[:i] + string(c) + value[i+1:]; changed != value {
				if _, err := Parse(changed); err == nil {
					t.Errorf("%q for %q", changed, value)
				}
			}
		}
	}
}

func TestKeysAreTakenOutOfLogs(t *testing.T) {
	value := Generate()
	for _, text := range []string{"/v1/" + value, value + value, "a " + value + " b " + value + "!"} {
		if strings.Contains(Redact(text), value[9:20]) {
			t.Errorf("%q", Redact(text))
		}
	}
}

func FuzzParseKey(f *testing.F) {
	f.Add(Generate())
	f.Add("ams_live_")
	f.Add(strings.Repeat("é", 29))
	f.Fuzz(func(t *testing.T, value string) {
		hash, err := Parse(value)
		if err == nil && (len(value) != length || checksum(value[:length-checkLength]) != value[length-checkLength:] || hash == Hash{}) {
			t.Errorf("%q was accepted", value)
		}
		if strings.Contains(Redact(value), Prefix+"a") {
			t.Errorf("%q became %q", value, Redact(value))
		}
	})
}
