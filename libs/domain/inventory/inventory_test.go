package inventory

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// What broke off, wherever it did, is no inventory.
func TestAnInventoryHasItsEnd(t *testing.T) {
	lines := `{"type":"site","id":"1"}` + "\n" + `{"type":"asset","id":"2"}` + "\n"
	sum := sha256.Sum256([]byte(lines))
	whole := lines + fmt.Sprintf(`{"end":true,"count":2,"sha256":"%s","as_of":"2026-11-27T10:00:00Z"}`+"\n", hex.EncodeToString(sum[:]))
	read := 0
	end, err := Read(strings.NewReader(whole), func([]byte) error { read++; return nil })
	if err != nil || end.Count != 2 || read != 2 {
		t.Fatalf("%d lines, %+v, %v", read, end, err)
	}
	for length := range len(whole) {
		if _, err := Read(strings.NewReader(whole[:length]), func(text []byte) error {
			if !strings.HasSuffix(string(text), "}") {
				t.Errorf("of %d bytes %s is handed out", length, text)
			}
			return nil
		}); !errors.Is(err, ErrTruncated) {
			t.Errorf("%d bytes of %d: %v", length, len(whole), err)
		}
	}
	for what, wrong := range map[string]string{
		"a line is missing": strings.Replace(whole, `{"type":"site","id":"1"}`+"\n", "", 1),
		"a line is another": strings.Replace(whole, `"2"`, `"3"`, 1),
	} {
		if _, err := Read(strings.NewReader(wrong), func([]byte) error { return nil }); !errors.Is(err, ErrTruncated) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
