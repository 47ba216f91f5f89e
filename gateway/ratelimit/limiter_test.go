package ratelimit

import (
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/sony/gobreaker/v2"

	"ams.internal/libs/testwait"
)

// A Redis that accepts connections and says nothing costs one request at a time, and no other.
func TestOnlyOneRequestTriesWhetherRedisIsBack(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	l, err := New(silent.Addr().String(), 100*time.Millisecond, 1, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	first := l.Count(t.Context(), "somebody", 10)
	for range 2 {
		l.Count(t.Context(), "somebody", 10)
	}
	if l.counters.breaker.State() != gobreaker.StateOpen {
		t.Fatal("the breaker is closed after three failures")
	}
	testwait.For(t, 10*time.Second, "Redis is tried again", func() bool { return l.counters.breaker.State() == gobreaker.StateHalfOpen })
	tried := make(chan Window)
	go func() { tried <- l.Count(t.Context(), "somebody", 10) }()
	testwait.For(t, 10*time.Second, "one request tries", l.trying.Load)
	l.Count(t.Context(), "somebody", 10)
	if !l.trying.Load() {
		t.Error("a second request waited for the first")
	}
	if w := <-tried; w.Count != 5 && w.Reset == first.Reset {
		t.Errorf("%d requests were counted", w.Count)
	}
}
