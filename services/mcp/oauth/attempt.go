package oauth

import (
	"context"
	"net/netip"
	"time"

	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// An attempt is a pasted key, or a client metadata document that must be fetched. Attempts are counted per address in
// the database, for all instances together, before the key is checked.

// attemptSubject is the hash that attempts are counted under. Callers whose address is unknown share one.
func attemptSubject(address string) []byte {
	parsed, _ := netip.ParseAddr(address)
	return hashOf("address " + transport.ClientSource(parsed))
}

// beginAttempt counts an attempt and returns how long to wait first. Zero means: go ahead.
func (a *Authorizer) beginAttempt(ctx context.Context, address string) (time.Duration, error) {
	var seconds int
	err := a.db.Pool().QueryRow(ctx, "SELECT begin_attempt($1)", attemptSubject(address)).Scan(&seconds)
	return time.Duration(seconds) * time.Second, postgres.Fault(err, nil)
}

// endAttempt takes back the count of an attempt that succeeded. A failure is only logged, because the work is done.
func (a *Authorizer) endAttempt(ctx context.Context, address string) {
	if _, err := a.db.Pool().Exec(ctx, "SELECT end_attempt($1)", attemptSubject(address)); err != nil {
		a.log.WarnContext(ctx, "an attempt could not be taken back", "error", err)
	}
}
