package gateway

import (
	"os"
	"testing"

	"ams.internal/libs/testwait"
)

func TestMain(m *testing.M) {
	if err := testwait.EightAtATime(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestTheInternalListenerIsAnnouncedAtTheHostOfThePublicOne(t *testing.T) {
	for advertised, want := range map[string]string{"": "", "gateway": "gateway", "10.20.0.7": "10.20.0.7", "10.20.0.7:8080": "10.20.0.7",
		"[fd00::7]:8080": "fd00::7"} {
		if host := hostOf(advertised); host != want {
			t.Errorf("AMS_ADVERTISE=%q: %q, want %q", advertised, host, want)
		}
	}
}
