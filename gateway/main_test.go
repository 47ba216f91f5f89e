package gateway

import "testing"

func TestTheInternalListenerIsAnnouncedAtTheHostOfThePublicOne(t *testing.T) {
	for advertised, want := range map[string]string{"": "", "gateway": "gateway", "10.20.0.7": "10.20.0.7", "10.20.0.7:8080": "10.20.0.7",
		"[fd00::7]:8080": "fd00::7"} {
		if host := hostOf(advertised); host != want {
			t.Errorf("AMS_ADVERTISE=%q: %q, want %q", advertised, host, want)
		}
	}
}
