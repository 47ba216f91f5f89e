package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/trace"

	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
)

// key is all that is known about a key at the moment it was looked up.
type key struct {
	id, name         string
	organization     string // id
	organizationName string
	currency         string
	plan             string
	features         []string
	scopes           []string
	state            string // active, inactive, expired or revoked
	rateLimit        int
	networks         []netip.Prefix // empty: from anywhere
	expiresAt        time.Time
}

func (k *key) actor() principal.Actor {
	return principal.Actor{Type: "api_key", ID: k.id, Name: k.name}
}

const (
	lookupTimeout  = 1500 * time.Millisecond // of one statement
	lookupPatience = 1800 * time.Millisecond // of one request: a database that is away is a 503 within two seconds
	lookupsAtOnce  = 2                       // one that hangs does not hold up all
)

// lookup finds keys in the database, for every request anew. Requests that arrive together share a statement.
type lookup struct {
	group  *group[keyHash, *key]
	pool   *pgxpool.Pool
	log    *slog.Logger
	meters *meters
}

func newLookup(pool *pgxpool.Pool, log *slog.Logger, meters *meters) *lookup {
	l := &lookup{pool: pool, log: log, meters: meters}
	l.group = &group[keyHash, *key]{ask: l.ask, most: lookupsAtOnce, timeout: lookupTimeout, patience: lookupPatience}
	return l
}

// find gives the key with a hash as it was after find was called; nil where there is none. An error means that it
// could not be looked up, and says nothing about the key.
func (l *lookup) find(ctx context.Context, hash keyHash) (*key, error) {
	looking, step := telemetry.Begin(ctx, "look up key", trace.SpanKindInternal)
	found, _, _, err := l.group.do(looking, hash)
	reason := ""
	if err != nil && ctx.Err() == nil {
		reason = "the key could not be looked up"
	}
	step.End(reason, nil)
	return found, err
}

const findKeys = `SELECT place, id, organization_id, organization_name, currency, plan, features, name, scopes, state,
	rate_limit, allowed_networks, expires_at FROM find_keys($1)`

func (l *lookup) ask(ctx context.Context, hashes []keyHash, times []int) ([]*key, error) {
	begin := time.Now()
	found, err := l.read(ctx, hashes)
	l.meters.lookedUp(ctx, time.Since(begin), times, err)
	return found, err
}

func (l *lookup) read(ctx context.Context, hashes []keyHash) ([]*key, error) {
	values := make([][]byte, len(hashes))
	for i := range hashes {
		values[i] = hashes[i][:]
	}
	rows, err := l.pool.Query(ctx, findKeys, values)
	if err != nil {
		return nil, fmt.Errorf("look up keys: %w", err)
	}
	defer rows.Close()
	found := make([]*key, len(hashes))
	for rows.Next() {
		var k key
		var place int
		var networks []string
		if err := rows.Scan(&place, &k.id, &k.organization, &k.organizationName, &k.currency, &k.plan, &k.features, &k.name,
			&k.scopes, &k.state, &k.rateLimit, &networks, &k.expiresAt); err != nil {
			return nil, fmt.Errorf("read a key: %w", err)
		}
		if k.networks, err = parseNetworks(networks); err != nil {
			return nil, fmt.Errorf("key %s: %w", k.id, err)
		}
		slices.Sort(k.features)
		k.features = slices.Compact(k.features)
		found[place-1] = &k
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look up keys: %w", err)
	}
	return found, nil
}

func parseNetworks(texts []string) ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for _, text := range texts {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, err
		}
		networks = append(networks, network)
	}
	return networks, nil
}
