package main

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"ams.internal/libs/postgres"
)

// attempt is one try to sign in, or to guess a password in another form. Attempts are counted per account and per
// address in the database, for all instances together, before the password is checked.
type attempt struct{ account, address []byte }

func newAttempt(email, address string) attempt {
	if parsed, err := netip.ParseAddr(address); err == nil && parsed.Is6() { // one subscriber has a whole /64
		if network, err := parsed.Prefix(64); err == nil {
			address = network.String()
		}
	}
	return attempt{hashOf("account " + strings.ToLower(strings.TrimSpace(email))), hashOf("address " + address)}
}

// beginAttempt counts an attempt and returns how long to wait first. Zero means: go ahead.
func (c *console) beginAttempt(ctx context.Context, a attempt) (time.Duration, error) {
	var seconds int
	err := c.db.Pool().QueryRow(ctx, `SELECT begin_sign_in($1, $2)`, a.account, a.address).Scan(&seconds)
	return time.Duration(seconds) * time.Second, postgres.Fault(err, nil)
}

// endAttempt takes back the count of an attempt with the correct password.
func (c *console) endAttempt(ctx context.Context, a attempt) error {
	_, err := c.db.Pool().Exec(ctx, `SELECT end_sign_in($1, $2)`, a.account, a.address)
	return postgres.Fault(err, nil)
}
