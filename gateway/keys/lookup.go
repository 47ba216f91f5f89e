package keys

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"ams.internal/gateway/batch"
	"ams.internal/libs/postgres"
	"ams.internal/libs/telemetry"
)

const (
	lookupTimeout = 1500 * time.Millisecond // of one statement
	callerTimeout = 1800 * time.Millisecond // of one request: a database that is unavailable is a 503 within two seconds
	maxLookups    = 2                       // at once; one that hangs does not hold up all
)

// Lookup finds keys in the database, for every request anew. Requests that arrive together share a statement.
type Lookup struct {
	batcher    *batch.Batcher[Hash, *Key]
	pool       postgres.Pool
	log        *slog.Logger
	metrics    *metrics
	lastLogged atomic.Int64 // the second in which the log last said that keys cannot be looked up
}

// NewLookup gives a look-up in the database behind pool.
func NewLookup(pool postgres.Pool, log *slog.Logger) *Lookup {
	l := &Lookup{pool: pool, log: log, metrics: newMetrics()}
	l.batcher = &batch.Batcher[Hash, *Key]{Run: l.run, MaxRunning: maxLookups, Timeout: lookupTimeout, CallerTimeout: callerTimeout}
	return l
}

// find gives the key with a hash as it was after find was called; nil where there is none. An error means that it
// could not be looked up, and says nothing about the key.
func (l *Lookup) find(ctx context.Context, hash Hash) (*Key, error) {
	stepCtx, step := telemetry.StartStep(ctx, "look up key", trace.SpanKindInternal)
	found, _, _, err := l.batcher.Do(stepCtx, hash)
	reason := ""
	if err != nil && ctx.Err() == nil {
		reason = "the key could not be looked up"
	}
	step.End(reason, nil)
	return found, err
}

const findKeys = `SELECT place, id, organization_id, organization_name, currency, plan, features, name, scopes, state,
	rate_limit, allowed_networks, expires_at, requests_per_minute, requests_in_flight, streams, long_polls, active_keys,
	time_zone, fiscal_year_end_month, land_area_km2, emptying, storage_bytes, cell,
	renewal_basis, renewal_basis_changed_on, fci_bands, suspended_since(organization_id) IS NOT NULL FROM find_keys($1)`

func (l *Lookup) run(ctx context.Context, hashes []Hash, callers []int) ([]*Key, error) {
	begin := time.Now()
	found, err := l.read(ctx, hashes)
	l.metrics.lookedUp(ctx, time.Since(begin), callers, err)
	return found, err
}

func (l *Lookup) read(ctx context.Context, hashes []Hash) ([]*Key, error) {
	values := make([][]byte, len(hashes))
	for i := range hashes {
		values[i] = hashes[i][:]
	}
	rows, err := l.pool.Query(ctx, findKeys, values)
	if err != nil {
		return nil, fmt.Errorf("look up keys: %w", err)
	}
	defer rows.Close()
	found := make([]*Key, len(hashes))
	for rows.Next() {
		var k Key
		var place int
		var networks []string
		if err := rows.Scan(&place, &k.ID, &k.Organization, &k.OrganizationName, &k.Currency, &k.Plan, &k.Features, &k.Name,
			&k.Scopes, &k.State, &k.RateLimit, &networks, &k.ExpiresAt, &k.Ceilings.RequestsPerMinute, &k.Ceilings.RequestsInFlight,
			&k.Ceilings.Streams, &k.Ceilings.LongPolls, &k.Ceilings.ActiveKeys,
			&k.Settings.TimeZone, &k.Settings.FiscalYearEndMonth, &k.Settings.LandArea, &k.Emptying, &k.Ceilings.StorageBytes,
			&k.Cell, &k.Settings.RenewalBasis, &k.Settings.RenewalBasisChangedOn, &k.Settings.FCIBands, &k.Suspended); err != nil {
			return nil, fmt.Errorf("read a key: %w", err)
		}
		if k.Networks, err = parseNetworks(networks); err != nil {
			return nil, fmt.Errorf("key %s: %w", k.ID, err)
		}
		slices.Sort(k.Features)
		k.Features = slices.Compact(k.Features)
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
