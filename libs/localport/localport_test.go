package localport

import (
	"net"
	"testing"
)

func TestAPortIsGivenOnceUntilItIsReleased(t *testing.T) {
	given := map[string]bool{}
	for range 200 {
		address := ForTest(t)
		if given[address] {
			t.Fatalf("%s was given twice", address)
		}
		given[address] = true
	}
}

func TestAPortThatSomebodyListensOnIsNotGiven(t *testing.T) {
	address, release, err := Reserve("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	release()
	if !IsFree(address) {
		t.Errorf("%s is not free after its release", address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	if IsFree(address) {
		t.Errorf("%s passes as free", address)
	}
}
