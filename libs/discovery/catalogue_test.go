package discovery_test

import (
	"slices"
	"testing"

	"github.com/go-kit/kit/sd"

	"ams.internal/libs/discovery"
)

func TestProgramsOfOneProcessFindEachOtherWhileTheyAreReady(t *testing.T) {
	catalogue := discovery.NewCatalogue()
	open := func() *discovery.Directory {
		t.Helper()
		directory, err := discovery.Open(discovery.Config{Mode: discovery.Process, Catalogue: catalogue, Region: own})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(directory.Close)
		return directory
	}
	caller, owner := open(), open()
	events := make(chan sd.Event, 3)
	instancer := caller.Instancer("users", "")
	instancer.Register(events)
	if first := <-events; len(first.Instances) != 0 {
		t.Errorf("before anybody is there: %v", first.Instances)
	}
	lease, err := owner.Register(t.Context(), "users", "127.0.0.1:7001", nil)
	if err != nil {
		t.Fatal(err)
	}
	if address, err := caller.Pick(t.Context(), "users"); err == nil {
		t.Errorf("an instance that is not ready was picked: %s", address)
	}
	lease.SetReady(true)
	if next := <-events; !slices.Equal(next.Instances, []string{"127.0.0.1:7001"}) {
		t.Errorf("once it is ready: %v", next.Instances)
	}
	if address, err := caller.Pick(t.Context(), "users"); err != nil || address != "127.0.0.1:7001" {
		t.Errorf("picked %q: %v", address, err)
	}
	if err := lease.Deregister(t.Context()); err != nil {
		t.Error(err)
	}
	if last := <-events; len(last.Instances) != 0 {
		t.Errorf("after it has left: %v", last.Instances)
	}
	if address, err := caller.Pick(t.Context(), "users"); err == nil {
		t.Errorf("an instance that has left was picked: %s", address)
	}
	instancer.Deregister(events)
}

func TestAProcessOfOneProgramHasNoCatalogue(t *testing.T) {
	if _, err := discovery.Open(discovery.Config{Mode: discovery.Process, Region: own}); err == nil {
		t.Error("it was opened")
	}
}
