package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
	"ams.internal/libs/localport"
)

// measureWithDeadEndpoint gives another organization as many waiting deliveries as the large one has assets, to an endpoint that nobody
// listens at, and measures the steady rate next to it. They are written as the inbox would leave them; delivered they never are.
func (b *bench) measureWithDeadEndpoint(ctx context.Context, r *receiver, pid int) error {
	dead, _, err := localport.Reserve("127.0.0.1")
	if err != nil {
		return err
	}
	organization, key, err := b.neighbour(ctx)
	if err != nil {
		return err
	}
	endpoint, err := b.subscribe(ctx, key, "http://"+dead+"/", "asset.*")
	if err != nil {
		return err
	}
	b.logf("Writing %d deliveries to an endpoint that is dead", b.rows)
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return err
	}
	defer db.Close(ctx)
	if err := fillDead(ctx, db, organization, endpoint, b.rows); err != nil {
		return fmt.Errorf("writing the deliveries that wait: %w", err)
	}
	time.Sleep(5 * time.Second) // its first failures
	if err := b.measureSteady(ctx, r, fmt.Sprintf("beside %d waiting on a dead endpoint", b.rows), pid); err != nil {
		return err
	}
	var tried, waiting int
	if err := db.QueryRow(ctx, "SELECT count(*) FILTER (WHERE attempts > 0), count(*) FROM webhooks.delivery WHERE organization_id = $1 "+
		"AND state = 'pending'", organization).Scan(&tried, &waiting); err != nil {
		return err
	}
	b.report.atLeast("deliveries to the dead endpoint that were tried", float64(tried), "", 1)
	b.report.atLeast("deliveries that wait for the dead endpoint", float64(waiting), "", float64(b.rows))
	return nil
}

// neighbour makes a further organization with a key.
func (b *bench) neighbour(ctx context.Context) (id, key string, err error) {
	name := fmt.Sprintf("bench-%d@example.ca", time.Now().UnixNano())
	var made struct{ ID string }
	if err := b.admin().Request(ctx, ams.Request{Method: http.MethodPost, Path: "/internal/organizations",
		Body: map[string]any{"name": "Beside " + name, "plan": "enterprise",
			"administrator": map[string]string{"email": name, "name": "Bench", "password": password}}}, &made); err != nil {
		return "", "", err
	}
	var signedIn struct{ Session string }
	if err := b.admin().Request(ctx, ams.Request{Method: http.MethodPost, Path: "/internal/sign-in",
		Body: map[string]string{"email": name, "password": password}}, &signedIn); err != nil {
		return "", "", err
	}
	var value struct{ Value string }
	err = ams.NewClient(b.description.AdminURL, signedIn.Session).Request(ctx,
		ams.Request{Method: http.MethodPost, Path: "/internal/organizations/" + made.ID + "/keys",
			Body: map[string]any{"name": "bench", "scopes": []string{"*:*"}, "rate_limit": 1000, "confirm_privacy": true}}, &value)
	return made.ID, value.Value, err
}

// fillDead writes events of as many records, each waiting to be delivered.
func fillDead(ctx context.Context, db *pgx.Conn, organization, endpoint string, count int) error {
	if _, err := db.Exec(ctx, "SET search_path = webhooks; SET statement_timeout = 0; SET synchronous_commit = off"); err != nil {
		return err
	}
	for _, statement := range []string{
		`INSERT INTO feed (organization_id) VALUES ($1) ON CONFLICT DO NOTHING`,
		// The sequences are taken first, in one transaction: events of the organization may be numbered at the same time.
		`BEGIN`,
		`UPDATE feed SET last_sequence = last_sequence + $2 WHERE organization_id = $1`,
		`CREATE TEMPORARY TABLE made AS SELECT gen_random_uuid() AS event_id, gen_random_uuid() AS delivery_id, gen_random_uuid() AS record_id,
			f.last_sequence - $2 + i AS sequence FROM feed f, generate_series(1, $2) i WHERE f.organization_id = $1`,
		`COMMIT`,
		`INSERT INTO event (organization_id, id, sequence, type, collection, record_id, version, payload, at, received_at)
			SELECT $1, event_id, sequence, 'asset.updated', 'assets', record_id, 2,
				json_build_object('data',
					json_build_object('object', json_build_object('id', record_id, 'version', 2, 'name', 'Pompe de circulation', 'status', 'in_service'),
					'changed', json_build_array('name'), 'previous', json_build_object('name', 'Pompe')),
					'actor', json_build_object('type', 'service', 'id', 'bench', 'name', 'bench'), 'origin', 'api', 'bulk_id', NULL, 'request_id', NULL),
				clock_timestamp(), clock_timestamp() FROM made`,
		`INSERT INTO delivery (organization_id, id, endpoint_id, event_id, sequence, event_type, record_id, lane, next_attempt_at, created_at)
			SELECT $1, delivery_id, $3, event_id, sequence, 'asset.updated', record_id, record_id, clock_timestamp(), clock_timestamp()
				FROM made ORDER BY sequence`,
		`INSERT INTO lane (organization_id, endpoint_id, lane, next_at) SELECT $1, $3, record_id, clock_timestamp() FROM made`,
		`INSERT INTO dispatch (organization_id, endpoint_id, wake_at) VALUES ($1, $3, clock_timestamp())
			ON CONFLICT (organization_id, endpoint_id) DO UPDATE SET wake_at = clock_timestamp(), knock = dispatch.knock + 1`,
		`DROP TABLE made`,
	} {
		if _, err := db.Exec(ctx, inline(statement, organization, endpoint, count)); err != nil {
			return err
		}
	}
	_, err := db.Exec(ctx, "VACUUM (ANALYZE) event, delivery, lane, dispatch, feed")
	return err
}

// inline puts the three values in: a statement may use any of them, and one that makes a table takes no arguments.
func inline(statement, organization, endpoint string, count int) string {
	return strings.NewReplacer("$1", "'"+organization+"'::uuid", "$2", strconv.Itoa(count), "$3", "'"+endpoint+"'::uuid").Replace(statement)
}
