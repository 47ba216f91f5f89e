package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
)

// behind gives the address of a database at another port.
func behind(t *testing.T, address, host string) string {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	at.Host = host
	return at.String()
}

func TestADatabaseIsAwaitedUntilItLetsSomebodyIn(t *testing.T) {
	t.Parallel()
	d := postgrestest.New(t, "assets", fstest.MapFS{})
	at, err := url.Parse(d.Session)
	if err != nil {
		t.Fatal(err)
	}
	door, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer door.Close()
	var tries atomic.Int64
	go func() {
		for { // the first two are turned away, as by the policies of a pod that has just started
			caller, err := door.Accept()
			if err != nil {
				return
			}
			if tries.Add(1) <= 2 {
				caller.Close()
				continue
			}
			server, err := net.Dial("tcp", at.Host)
			if err != nil {
				caller.Close()
				return
			}
			go func() { _, _ = io.Copy(server, caller); server.Close() }()
			go func() { _, _ = io.Copy(caller, server); caller.Close() }()
		}
	}()
	if err := postgres.Await(t.Context(), behind(t, d.Session, door.Addr().String()), io.Discard); err != nil {
		t.Fatal(err)
	}
	if n := tries.Load(); n < 3 {
		t.Errorf("let in at try %d, want the third", n)
	}
}

func TestAwaitingEndsWithTheReason(t *testing.T) {
	t.Parallel()
	d := postgrestest.New(t, "assets", fstest.MapFS{})
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody.Close()
	ended, end := context.WithCancel(t.Context())
	end()
	wrong, err := url.Parse(d.Session)
	if err != nil {
		t.Fatal(err)
	}
	wrong.Path = "/not_there"
	for name, test := range map[string]struct {
		ctx      context.Context
		address  string
		patience time.Duration
		want     string
	}{
		"nobody answers": {t.Context(), behind(t, d.Session, nobody.Addr().String()), 0,
			"at " + strings.Replace(nobody.Addr().String(), "[::]", "", 1) + " cannot be reached, tried for 0s; see that its address is right"},
		"no such database":    {t.Context(), wrong.String(), time.Hour, "does not pass by itself"},
		"not an address":      {t.Context(), "postgres://%zz", time.Hour, "address cannot be used"},
		"the caller gives up": {ended, behind(t, d.Session, nobody.Addr().String()), time.Hour, context.Canceled.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			err := postgres.AwaitFor(test.ctx, test.address, io.Discard, test.patience)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
			if password, _ := wrong.User.Password(); err != nil && password != "" && strings.Contains(err.Error(), password) {
				t.Errorf("the password is in %v", err)
			}
		})
	}
}

func TestAwaitingSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	var out bytes.Buffer
	err = postgres.AwaitFor(ctx, "postgres://ams_owner:secret@"+nobody.Addr().String()+"/ams", &out, time.Hour)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(out.String(), "waiting for the database at "+nobody.Addr().String()) || strings.Contains(out.String(), "secret") {
		t.Errorf("it says %q", out.String())
	}
}
