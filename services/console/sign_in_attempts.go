package console

import (
	"context"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// How many attempts are free before the first pause.
const (
	freeOfOwn     = 5   // of an account from one address, or from a browser that has signed in to it before
	freeOfAddress = 20  // of an address, for all accounts
	freeOfAccount = 100 // of an account, from all addresses, in an hour of the clock
)

// attempt is one try to sign in, or to guess a password in another form. Attempts are counted in the database, for all instances
// together, before the password is checked. Each is counted under what is its own, and under what it shares with others.
type attempt struct {
	own    []byte   // account and address, or account and known browser
	shared [][]byte // the address and the account; nothing for a known browser
	free   []int    // of own, then of shared
}

// newAttempt is an attempt of a browser that is not known: strangers who guess from elsewhere slow down nobody here, until they
// are very many.
func newAttempt(account, address string) attempt {
	parsed, _ := netip.ParseAddr(address) // one source of all whose address is unknown
	source := transport.ClientSource(parsed)
	account = normalAccount(account)
	hour := strconv.FormatInt(time.Now().Unix()/int64(time.Hour/time.Second), 10)
	return attempt{
		hashOf("account " + account + " from " + source),
		[][]byte{hashOf("address " + source), hashOf("account " + account + " in hour " + hour)},
		[]int{freeOfOwn, freeOfAddress, freeOfAccount},
	}
}

// newAttempt is an attempt to sign in to an account with this browser. One that has signed in to the account before has a count of
// its own instead of all others: whatever strangers do, its owner gets in.
func (req *pageRequest) newAttempt(account string) attempt {
	if id := req.knownBrowser(account); id != "" {
		return attempt{own: hashOf("account " + normalAccount(account) + " by " + id), free: []int{freeOfOwn}}
	}
	return newAttempt(account, req.address)
}

// normalAccount is one spelling of an e-mail address.
func normalAccount(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// beginAttempt counts an attempt and returns how long to wait first. Zero means: go ahead.
func (c *console) beginAttempt(ctx context.Context, a attempt) (time.Duration, error) {
	var seconds int
	err := c.db.Pool().QueryRow(ctx, `SELECT begin_attempt($1, $2)`, append([][]byte{a.own}, a.shared...), a.free).Scan(&seconds)
	return time.Duration(seconds) * time.Second, postgres.Fault(err, nil)
}

// endAttempt takes back the count of an attempt with the correct password.
func (c *console) endAttempt(ctx context.Context, a attempt) error {
	_, err := c.db.Pool().Exec(ctx, `SELECT end_attempt($1, $2)`, a.own, a.shared)
	return postgres.Fault(err, nil)
}
