package edge

import (
	"context"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/gateway/keys"
	"ams.internal/gateway/migrations"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
)

// TestUseIsWrittenByOneStatementPerInterval counts the statements that the database runs, however many keys there are.
func TestUseIsWrittenByOneStatementPerInterval(t *testing.T) {
	if usageInterval < 10*time.Second {
		t.Errorf("use is written every %s", usageInterval)
	}
	database := postgrestest.New(t, "gateway", migrations.Files)
	address, run := postgrestest.CountStatements(t, database.URL)
	db, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owner.Close(context.Background()) })
	used := insertKeys(t, owner, 40)
	u := newUsage(db.Pool(), slog.New(slog.DiscardHandler))
	u.interval = 300 * time.Millisecond
	client := netip.MustParseAddr("203.0.113.7")
	noted := 0
	note := func() {
		for i, status := range []int{200, 201, 304, 400, 403, 404, 429, 500, 503} {
			u.record(used[(noted+i)%len(used)], client, status, time.Now())
		}
		noted++
	}
	if err := db.Ping(t.Context()); err != nil { // the first connection sets itself up
		t.Fatal(err)
	}
	before := run.Load()
	for range 200 {
		note()
	}
	if statements := run.Load() - before; statements != 0 {
		t.Errorf("recording ran %d statements", statements)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	began := time.Now()
	go func() { defer close(done); u.run(ctx) }()
	for time.Since(began) < 1500*time.Millisecond {
		note()
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-done
	intervals := int64(time.Since(began)/u.interval) + 1 // and one at the end
	if statements := run.Load() - before; statements < 2 || statements > intervals {
		t.Errorf("%d statements ran in %d intervals", statements, intervals)
	}
	var requests, errors, limited int
	if err := owner.QueryRow(t.Context(), "SELECT sum(requests), sum(errors), sum(limited) FROM key_day").Scan(&requests, &errors,
		&limited); err != nil {
		t.Fatal(err)
	}
	if requests != 9*noted || errors != 5*noted || limited != noted {
		t.Errorf("%d requests, %d errors, %d limited were written; %d times 9, 5 and 1 were noted", requests, errors, limited, noted)
	}
}

// insertKeys writes keys of one organization.
func insertKeys(t *testing.T, owner *pgx.Conn, n int) []*keys.Key {
	t.Helper()
	organization := uuid.Must(uuid.NewV7()).String()
	if _, err := owner.Exec(t.Context(), `INSERT INTO organization (organization_id, name, plan, currency)
		VALUES ($1, 'Ville de Bellerive', 'enterprise', 'CAD')`, organization); err != nil {
		t.Fatal(err)
	}
	var made []*keys.Key
	for range n {
		k := &keys.Key{ID: uuid.Must(uuid.NewV7()).String(), Organization: organization}
		value := keys.Generate(keys.Live)
		hash, err := keys.Parse(value)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := owner.Exec(t.Context(), `INSERT INTO api_key
				(organization_id, id, hash, display, name, scopes, rate_limit, expires_at, created_by)
			VALUES ($1, $2, $3, $4, 'Power BI', '{*:*}', 1000, now() + interval '1 hour', '{"type":"user","id":"u","name":"Ada"}')`,
			organization, k.ID, hash[:], keys.Display(value)); err != nil {
			t.Fatal(err)
		}
		made = append(made, k)
	}
	return made
}
