package main

import (
	"crypto/sha256"
	"strings"
	"testing"
)

func TestGeneratedKeys(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		value := generateKey()
		if len(value) != 58 || !strings.HasPrefix(value, "ams_live_") || seen[value] {
			t.Fatalf("%q", value)
		}
		seen[value] = true
		hash, err := parseKey(value)
		if err != nil || hash != sha256.Sum256([]byte(value)) {
			t.Fatalf("%q: %v", value, err)
		}
		if display := displayKey(value); display != value[:13]+"…" {
			t.Errorf("shown as %q", display)
		}
	}
}

func TestEveryMistypedCharacterIsNoticed(t *testing.T) {
	value := generateKey()
	for i := range len(value) {
		for _, c := range "aZ09_é " {
			if changed := value[:i] + string(c) + value[i+1:]; changed != value {
				if _, err := parseKey(changed); err == nil {
					t.Errorf("%q for %q", changed, value)
				}
			}
		}
	}
}

func TestKeysAreTakenOutOfLogs(t *testing.T) {
	value := generateKey()
	for _, text := range []string{"/v1/" + value, value + value, "a " + value + " b " + value + "!"} {
		if strings.Contains(redact(text), value[9:20]) {
			t.Errorf("%q", redact(text))
		}
	}
}

func FuzzParseKey(f *testing.F) {
	f.Add(generateKey())
	f.Add("ams_live_")
	f.Add(strings.Repeat("é", 29))
	f.Fuzz(func(t *testing.T, value string) {
		hash, err := parseKey(value)
		if err == nil && (len(value) != keyLength || checksum(value[:keyLength-checkLength]) != value[keyLength-checkLength:] || hash == keyHash{}) {
			t.Errorf("%q was accepted", value)
		}
		if strings.Contains(redact(value), keyPrefix+"a") {
			t.Errorf("%q became %q", value, redact(value))
		}
	})
}

func FuzzBearer(f *testing.F) {
	f.Add("Bearer "+generateKey(), "")
	f.Add("bearer\t x", "a=b")
	f.Fuzz(func(t *testing.T, header, query string) {
		value, refusal := bearer([]string{header}, query)
		if refusal == nil && (value == "" || !strings.Contains(header, value)) {
			t.Errorf("%q gave %q", header, value)
		}
	})
}
