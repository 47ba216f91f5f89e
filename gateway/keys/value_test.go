package keys

import (
	"crypto/sha256"
	"strings"
	"testing"

	"ams.internal/libs/principal"
)

func TestGeneratedKeys(t *testing.T) {
	seen := map[string]bool{}
	for i := range 1000 {
		mode := []Mode{Live, Test}[i%2]
		value := Generate(mode)
		if len(value) != 58 || !strings.HasPrefix(value, "ams_"+string(mode)+"_") || seen[value] {
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
	value := Generate(Live)
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
	value := Generate(Test)
	for _, text := range []string{"/v1/" + value, value + value, "a " + value + " b " + value + "!"} {
		if strings.Contains(Redact(text), value[9:20]) {
			t.Errorf("%q", Redact(text))
		}
	}
}

func TestTheModeIsThatOfTheOrganization(t *testing.T) {
	const live = "01990000-0000-7000-8000-00000000000a"
	if ModeOf(live) != Live || ModeOf(principal.SandboxOf(live)) != Test {
		t.Errorf("%s and %s", ModeOf(live), ModeOf(principal.SandboxOf(live)))
	}
	value := Generate(Live)
	if _, err := Parse("ams_test_" + value[9:]); err == nil {
		t.Error("a key of the other mode is a key: the checksum does not cover the mode")
	}
}

func FuzzParseKey(f *testing.F) {
	f.Add(Generate(Live))
	f.Add(Generate(Test))
	f.Add("ams_live_")
	f.Add(strings.Repeat("é", 29))
	f.Fuzz(func(t *testing.T, value string) {
		hash, err := Parse(value)
		if err == nil && (len(value) != length || checksum(value[:length-checkLength]) != value[length-checkLength:] || hash == Hash{}) {
			t.Errorf("%q was accepted", value)
		}
		if strings.Contains(Redact(value), "ams_live_a") || strings.Contains(Redact(value), "ams_test_a") {
			t.Errorf("%q became %q", value, Redact(value))
		}
	})
}
