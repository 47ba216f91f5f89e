package devstack

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

func TestTwoRegionsHaveAConsulEachThatKnowTheOther(t *testing.T) {
	s, err := Start(t.Context(), Options{Folder: runFolder(t), InfrastructureOnly: true, Regions: []string{Region, "us-east-1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	d := s.Description()
	if !running(d.PIDs["consul"]) || !running(d.PIDs["us-east-1.consul"]) {
		t.Errorf("%v", d.PIDs)
	}
	for i, host := range []string{"127.0.0.1:", "127.0.0.12:"} {
		r := s.regions[i]
		if !strings.HasPrefix(r.consul.http, host) || !strings.HasPrefix(r.gateways[0], host) ||
			!strings.HasPrefix(r.services["assets"][0], host) {
			t.Errorf("%s is at %+v", r.name, r)
		}
		if err := knowsRegions(t.Context(), r.consul.http, 2); err != nil {
			t.Error(err)
		}
	}
	// The bytes of documents are in one place, and so is the scanner.
	for _, r := range s.regions {
		settings := s.settings(r, "documents")
		for _, wanted := range []string{"AMS_DOCUMENTS_STORE=" + filepath.Join(s.Folder(), "documents"),
			"AMS_DOCUMENTS_SCANNER=" + d.ScannerURL} {
			if !slices.Contains(settings, wanted) {
				t.Errorf("documents in %s is not given %s", r.name, wanted)
			}
		}
	}
	// One that comes back is known again.
	if err := s.Halt(syscall.SIGKILL, "consul"); err != nil {
		t.Fatal(err)
	}
	if err := s.Resume(t.Context(), "consul"); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.regions {
		testwait.For(t, 20*time.Second, r.name+" knows both", func() bool { return knowsRegions(t.Context(), r.consul.http, 2) == nil })
	}
}

func TestRegionsThatCannotBeAreRefused(t *testing.T) {
	for _, c := range []struct {
		options Options
		says    string
	}{
		{Options{Regions: []string{Region, Region}}, "twice"},
		{Options{Regions: []string{"Canada East"}}, "Canada East"},
		{Options{Regions: []string{""}}, "name of a region"},
		{Options{Regions: []string{Region, "us-east-1"}, Discovery: "static"}, "static"},
		{Options{Regions: []string{Region, "us-east-1"}, ConsulAddr: "127.0.0.1:8500"}, "AMS_CONSUL_ADDR"},
	} {
		c.options.Folder = t.TempDir()
		if _, err := Start(t.Context(), c.options); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.options, err)
		}
	}
}
