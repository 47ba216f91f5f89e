package users

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

func TestPasswordHashes(t *testing.T) {
	one, err := hashPassword(t.Context(), phrase)
	if err != nil {
		t.Fatal(err)
	}
	two, err := hashPassword(t.Context(), phrase)
	if err != nil {
		t.Fatal(err)
	}
	if one == two || !strings.HasPrefix(one, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("hashes are %q and %q", one, two)
	}
	// Made by the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1
	reference := "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	for _, test := range []struct {
		hash, password string
		want           bool
	}{{one, phrase, true}, {two, phrase, true}, {one, "wrong", false}, {one, "", false}, {reference, "password", true},
		{reference, "Password", false}} {
		if got, err := verifyPassword(t.Context(), test.password, test.hash); err != nil || got != test.want {
			t.Errorf("verify %q against %s: %v, %v", test.password, test.hash, got, err)
		}
	}
	for _, broken := range []string{"", "plain", "$argon2i$v=19$m=1,t=1,p=1$c29tZXNhbHQ$x", "$argon2id$v=16$m=65536,t=2,p=1$c29tZXNhbHQ$CTFh",
		"$argon2id$v=19$m=65536,t=2,p=1$!$CTFh"} {
		if ok, err := verifyPassword(t.Context(), phrase, broken); ok || err == nil {
			t.Errorf("the hash %q was taken", broken)
		}
	}
}

// A process that has hashed passwords takes no more memory than before, some seconds later.
func TestTheMemoryOfHashesIsGivenBack(t *testing.T) {
	debug.FreeOSMemory()
	before := held()
	for range 3 {
		if _, err := hashPassword(t.Context(), "correct horse battery staple"); err != nil {
			t.Fatal(err)
		}
	}
	testwait.For(t, 20*time.Second, "the memory of hashes is given back", func() bool { return held() < before+argonMemory<<10/2 })
}

// held is how much memory of the heap the process has of the system.
func held() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapSys - m.HeapReleased
}
