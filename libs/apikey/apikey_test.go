package apikey

import (
	"strings"
	"testing"
)

func TestKeysOfBothModesAreTakenOut(t *testing.T) {
	const body = "3fGkZ8pQ2rT5vX9bN4mJ7hL1cW6yD0sAeUiOqKxBnMgRt"
	for _, prefix := range []string{Live, Test, "ams_code_", "ams_access_", "ams_refresh_"} {
		for _, text := range []string{prefix + body, "a " + prefix + body + " b", "/v1/x?key=" + prefix + body + "&y=1", prefix + body[:2]} {
			redacted := Redact(text)
			if strings.Contains(redacted, body[:2]) || !strings.Contains(redacted, prefix+"[redacted]") {
				t.Errorf("%q became %q", text, redacted)
			}
		}
	}
	if text := "ams_other_" + body; Redact(text) != text {
		t.Errorf("%q became %q", text, Redact(text))
	}
}

func TestTextsThatAreOrHoldKeys(t *testing.T) {
	for text, want := range map[string][2]bool{
		Live + "x": {true, true}, Test + "x": {true, true}, " " + Live: {false, true}, "q=" + Test: {false, true},
		"ams_access_x": {}, "": {}, "ams_": {},
	} {
		if got := [2]bool{Is(text), In(text)}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
