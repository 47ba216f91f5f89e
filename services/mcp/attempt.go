package main

import (
	"context"
	"net/netip"
	"time"

	"ams.internal/libs/postgres"
)

// An attempt is a key that is pasted, or a description of an assistant that must be fetched. Attempts are counted for the
// address, in the database: for all instances together, and before the key is looked at.

// attemptSubject is what attempts are counted for: one subscriber has a whole /64 of IPv6.
func attemptSubject(address string) []byte {
	if parsed, err := netip.ParseAddr(address); err == nil && parsed.Is6() {
		if network, err := parsed.Prefix(64); err == nil {
			address = network.String()
		}
	}
	return hashOf("address " + address)
}

// beginAttempt gives how long to wait before the next attempt; 0 is to go ahead.
func (a *authorizer) beginAttempt(ctx context.Context, address string) (time.Duration, error) {
	var seconds int
	err := a.db.Pool().QueryRow(ctx, "SELECT begin_attempt($1)", attemptSubject(address)).Scan(&seconds)
	return time.Duration(seconds) * time.Second, postgres.Fault(err, nil)
}

// endAttempt takes the attempt back. What it was for has been done; whether this is written down changes nothing about that.
func (a *authorizer) endAttempt(ctx context.Context, address string) {
	if _, err := a.db.Pool().Exec(ctx, "SELECT end_attempt($1)", attemptSubject(address)); err != nil {
		a.log.WarnContext(ctx, "an attempt could not be taken back", "error", err)
	}
}
