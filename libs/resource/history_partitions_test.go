package resource_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// A record whose changes lie in three partitions, of ten weeks ago, of none (the rest) and of today, has one history.
func TestAHistoryIsReadInOrderOverItsPartitions(t *testing.T) {
	client, database := serve(t)
	made := client.Create(t, "/v1/shelves", map[string]any{"name": "Oak"})
	// The record becomes an old one, as its id says too.
	old := uuid.Must(uuid.NewV7())
	ago := time.Now().AddDate(0, 0, -75)
	for i := range 6 {
		old[i] = byte(ago.UnixMilli() >> (8 * (5 - i)))
	}
	statement(t, database, "UPDATE shelf SET id = $2 WHERE id = $1", made["id"], old)
	statement(t, database, "UPDATE history SET record_id = $2, at = $3 WHERE record_id = $1", made["id"], old, ago)
	path := "/v1/shelves/" + old.String()
	client.Must(t, 200, "PATCH", path, map[string]any{"name": "Elm"})
	statement(t, database, "UPDATE history SET at = at - interval '32 days' WHERE record_id = $1 AND version = 2", old)
	client.Must(t, 200, "PATCH", path, map[string]any{"name": "Pine"})
	statement(t, database, "SELECT make_partition('history', $1, 0)", ago) // takes over what lies in the rest

	rows := map[string]int{}
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	found, err := owner.Query(t.Context(), "SELECT tableoid::regclass::text, count(*)::int FROM history WHERE record_id = $1 GROUP BY 1", old)
	if err != nil {
		t.Fatal(err)
	}
	var partition string
	var count int
	if _, err := pgx.ForEachRow(found, []any{&partition, &count}, func() error { rows[partition] = count; return nil }); err != nil {
		t.Fatal(err)
	}
	monthsAgo := "history_" + ago.UTC().Format("2006_01")
	if rows[monthsAgo] != 1 || rows["history_rest"] > 1 || rows["history_"+time.Now().UTC().Format("2006_01")] == 0 || len(rows) < 2 {
		t.Errorf("the entries lie in %v", rows)
	}

	var versions []string
	for page := 1; page <= 3; page++ {
		data, pagination := client.List(t, fmt.Sprintf("%s/history?per_page=1&page=%d", path, page))
		if len(data) != 1 || pagination["total"] != 3.0 {
			t.Fatalf("page %d has %v, %v", page, data, pagination)
		}
		versions = append(versions, fmt.Sprint(data[0]["version"]))
	}
	if got := strings.Join(versions, " "); got != "1 2 3" {
		t.Errorf("the history is %s", got)
	}
	if data, _ := client.List(t, path+"/history?since="+time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)); len(data) != 1 {
		t.Errorf("since an hour ago: %v", data)
	}
	var trail []string
	query := map[string]any{"limit": 1, "record_id": old.String()}
	for range 4 {
		for _, e := range changes(t, client, query) {
			trail = append(trail, e["action"].(string))
			query["before"] = e["at"].(string) + "_" + e["id"].(string)
		}
	}
	if got := strings.Join(trail, " "); got != "shelf.updated shelf.updated shelf.created" {
		t.Errorf("the trail is %s", got)
	}
	client.Other().Must(t, 404, "GET", path+"/history", nil)
}

// The service's role reaches no partition by its name, so no row of another organization either, and can neither make nor drop one.
func TestPartitionsAreReachedThroughTheirTableAlone(t *testing.T) {
	client, database := serve(t)
	client.Create(t, "/v1/shelves", map[string]any{"name": "Oak"})
	connection, err := pgx.Connect(t.Context(), database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(t.Context())
	const become = "SELECT set_config('ams.organization_id', $1, false)"
	if _, err := connection.Exec(t.Context(), become, client.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	rows, err := connection.Query(t.Context(), "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'history'::regclass")
	if err != nil {
		t.Fatal(err)
	}
	partitions, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(partitions) < 5 {
		t.Fatalf("partitions are %v, %v; want the rest, this month and three to come", partitions, err)
	}
	var statements []string
	for _, partition := range partitions {
		for _, form := range []string{"SELECT FROM %s", "INSERT INTO %s SELECT * FROM history", "UPDATE %s SET action = 'x'", "DELETE FROM %s",
			"TRUNCATE %s", "DROP TABLE %s", "ALTER TABLE history DETACH PARTITION %s"} {
			statements = append(statements, fmt.Sprintf(form, partition))
		}
	}
	for _, statement := range append(statements, "SELECT make_partition('history', now(), 12)", "SELECT * FROM partitioned_table",
		"UPDATE partitioned_table SET retained = '0'", "SELECT partition_by_time('outbox', 'day', 1, NULL)",
		"SELECT seal_partition('history_rest')") {
		if _, err := connection.Exec(t.Context(), statement); err == nil ||
			!strings.Contains(err.Error(), "permission denied") && !strings.Contains(err.Error(), "must be owner") {
			t.Errorf("%s: %v", statement, err)
		}
	}
}
