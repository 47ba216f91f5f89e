package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/test/resilience/load"
)

func documentIn(r load.Response) (d load.Document) {
	_ = json.Unmarshal(r.Body, &d) // what is none has no id
	return d
}

func documentsIn(r load.Response) []load.Document {
	var list struct{ Data []load.Document }
	_ = json.Unmarshal(r.Body, &list)
	return list.Data
}

// endLeases lets the time pass after which a content that nobody writes any more is swept: a minute, or a day of an upload that could be
// resumed. So does it with contents whose deletion has failed.
func endLeases(ctx context.Context, db *pgx.Conn) error {
	_, err := db.Exec(ctx, `UPDATE documents.blob SET lease_until = CASE WHEN state = 'writing' THEN clock_timestamp() END,
			delete_after = CASE WHEN state = 'doomed' THEN clock_timestamp() END
		WHERE state IN ('writing', 'doomed')`)
	return err
}

// endDays lets the day pass after which an upload is swept that could be resumed.
func endDays(ctx context.Context, db *pgx.Conn) error {
	_, err := db.Exec(ctx, `UPDATE documents.blob SET lease_until = clock_timestamp()
		WHERE state = 'writing' AND lease_until > clock_timestamp() + interval '1 hour'`)
	return err
}

// sweepTime is how long sweepers may take: a lease, the time until a deletion that failed is tried again, and some looks.
const sweepTime = 3 * time.Minute

// awaitSwept waits until sweepers have nothing to do, and compares contents, what organizations are said to use, and the objects of the
// store, which is in a folder. It gives what is wrong.
func awaitSwept(ctx context.Context, db *pgx.Conn, folder string) (wrong []string, err error) {
	for deadline := time.Now().Add(sweepTime); ; time.Sleep(200 * time.Millisecond) {
		var left int
		if err := db.QueryRow(ctx, "SELECT count(*) FROM documents.blob WHERE state <> 'ready'").Scan(&left); err != nil {
			return nil, err
		}
		if left == 0 {
			break
		}
		if time.Now().After(deadline) {
			wrong = append(wrong, fmt.Sprintf("%d contents are not swept after %s", left, sweepTime))
			break
		}
	}
	rows, err := db.Query(ctx, `SELECT format('the organization %s uses %s bytes and has %s in contents; %s are reserved', s.organization_id,
		s.used, coalesce(sum(b.size), 0), s.reserved)
		FROM documents.storage s LEFT JOIN documents.blob b ON b.organization_id = s.organization_id AND b.state = 'ready'
		GROUP BY s.organization_id HAVING s.used <> coalesce(sum(b.size), 0) OR s.reserved <> 0`)
	if err != nil {
		return nil, err
	}
	figures, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	objects, err := compareObjects(ctx, db, folder)
	return append(append(wrong, figures...), objects...), err
}

// compareObjects compares the bytes of all contents with the store's, both ways: but for what versitygw keeps of a completion that it was
// killed over, which is no object and which no call of it shows (ADR 49).
func compareObjects(ctx context.Context, db *pgx.Conn, folder string) (wrong []string, err error) {
	rows, err := db.Query(ctx, "SELECT organization_id || '/' || id, sha256 FROM documents.blob WHERE state = 'ready'")
	if err != nil {
		return nil, err
	}
	known := map[string]string{} // the sha256 of an object
	var key string
	var sum []byte
	if _, err := pgx.ForEachRow(rows, []any{&key, &sum}, func() error {
		known[key] = hex.EncodeToString(sum)
		return nil
	}); err != nil {
		return nil, err
	}
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(path, folder+"/.sgwtmp/") && strings.HasSuffix(path, ".inprogress") {
			return fs.SkipDir
		}
		if err != nil || entry.IsDir() {
			return err
		}
		name := strings.TrimPrefix(path, folder+"/")
		digest, is := known[name]
		delete(known, name)
		content, err := os.ReadFile(path)
		switch {
		case err != nil:
			return err
		case !is:
			wrong = append(wrong, "the store has "+name+", which no content has")
		case load.Digest(content) != digest:
			wrong = append(wrong, fmt.Sprintf("the object %s has the sha256 %s, and its content %s", name, load.Digest(content), digest))
		}
		return nil
	})
	for name := range known {
		wrong = append(wrong, "a content without its object: "+name)
	}
	return wrong, err
}
