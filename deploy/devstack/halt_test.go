package devstack

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

func TestAHaltedProcessStaysDownUntilItIsResumed(t *testing.T) {
	s, shown := startInfrastructure(t, runFolder(t))
	before := s.Description().PIDs["redis"]
	if err := s.Halt(syscall.SIGKILL, "redis"); err != nil {
		t.Fatal(err)
	}
	if running(before) || redisResponds(t.Context(), s.Description().RedisAddr) == nil {
		t.Error("it still runs")
	}
	d, err := Read(s.Folder())
	if _, found := d.PIDs["redis"]; found || err != nil {
		t.Errorf("%s has it: %v %v", FileName, d.PIDs, err)
	}
	if err := s.Halt(syscall.SIGKILL, "redis"); err != nil {
		t.Errorf("halting it twice: %v", err)
	}
	// Another one that dies is started again, which takes longer than a new life of the first would have.
	if err := syscall.Kill(d.PIDs["consul"], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	testwait.For(t, 20*time.Second, "consul is back", func() bool { return strings.Contains(shown.String(), "consul is back") })
	if redisResponds(t.Context(), d.RedisAddr) == nil {
		t.Error("it was started again")
	}
	if err := s.Resume(t.Context(), "redis"); err != nil {
		t.Fatal(err)
	}
	if err := redisResponds(t.Context(), d.RedisAddr); err != nil {
		t.Error(err)
	}
	testwait.For(t, 20*time.Second, "it is described again", func() bool {
		return running(s.Description().PIDs["redis"]) &&
			s.Description().PIDs["redis"] != before
	})
	for range 20 { // also where it is let go on in the moment in which it has ended
		if err := s.Halt(syscall.SIGKILL, "redis"); err != nil {
			t.Fatal(err)
		}
		if err := s.Resume(t.Context(), "redis"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Resume(t.Context(), "redis"); err == nil {
		t.Error("what runs was resumed")
	}
	if err := s.Halt(syscall.SIGTERM, "nobody"); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("a process that is not there: %v", err)
	}
	if err := s.Halt(syscall.SIGTERM, s.ProcessNames(Region, "consul")...); err != nil { // and is left so: Stop must not wait for it
		t.Fatal(err)
	}
	s.Stop()
}
