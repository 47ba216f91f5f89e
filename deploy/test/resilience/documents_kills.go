package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/test/resilience/consistency"
	"ams.internal/deploy/test/resilience/load"
	"ams.internal/libs/s3test"
)

// fileKilling shows that no file is lost, and that nothing is left of what did not arrive, or was purged: writers of several
// organizations upload, revise and delete documents, and the service purges these, while the processes are killed that take the bytes,
// and those that these need.
type fileKilling struct {
	kills, count, writers int  // of processes, of organizations, of each organization
	wait                  bool // for the leases of a minute; else they are ended, as those of a day are
	folder                string
	logf                  func(format string, args ...any)

	stack         *devstack.Stack
	store         *s3test.Server
	organizations []*load.Organization
	all           []*fileWriter
}

// fileReport is what was found afterwards.
type fileReport struct {
	Kills                       map[string]int // by program
	Uploads, Revisions, Deletes int            // acknowledged
	Interrupted                 map[string]int // requests that had to be sent again, or to go on, by what was answered
	Purged                      int            // documents, between kills
	Files                       int            // that were read back
	Unfinished                  int            // contents that were being written when all was over
	Swept                       time.Duration  // after the last purge
	Wrong                       []string
}

func (f *fileKilling) measure(ctx context.Context, out io.Writer) error {
	found, err := f.carryOut(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Documents: %d uploads, %d revisions and %d deletes acknowledged, %d purged between kills, requests interrupted: "+
		"%v, killed %v; %d files read back; %d contents were unfinished, and all was swept %s after the last purge; %d things are wrong\n",
		found.Uploads, found.Revisions, found.Deletes, found.Purged, found.Interrupted, found.Kills, found.Files, found.Unfinished,
		found.Swept.Round(100*time.Millisecond), len(found.Wrong))
	return found.verdict()
}

// verdict is the promise.
func (r *fileReport) verdict() error { return promised(r.Wrong) }

func (f *fileKilling) carryOut(ctx context.Context) (found *fileReport, err error) {
	defer func() { err = errors.Join(err, f.stop()) }()
	if err := f.start(ctx); err != nil {
		return nil, err
	}
	found = &fileReport{Kills: map[string]int{}, Interrupted: map[string]int{}}
	working, done := context.WithCancel(ctx)
	defer done()
	var writing sync.WaitGroup
	for _, w := range f.all {
		writing.Go(func() { w.work(ctx, working) })
	}
	err = f.killAll(ctx, found)
	done()
	writing.Wait()
	if err != nil {
		return nil, err
	}
	return found, f.compare(ctx, found)
}

// start starts the stack, and makes the organizations with a record each.
func (f *fileKilling) start(ctx context.Context) error {
	var err error
	if f.store, err = s3test.Open(filepath.Join(filepath.Dir(f.folder), "store"), devstack.Region); err != nil {
		return err
	}
	if f.stack, err = startEmpty(ctx, devstack.Options{Folder: f.folder, Gateways: 2, Instances: 2, Discovery: "consul",
		Environment: append(f.store.Environment(), "AMS_DOCUMENTS_KEEP_DAYS=0")}); err != nil {
		return err
	}
	d := f.stack.Description()
	balancer := load.NewBalancer(ctx, d.Gateways)
	for number := range f.count {
		o, err := load.NewAdmin(d).Unlimited(ctx, number, f.writers)
		if err != nil {
			return err
		}
		f.organizations = append(f.organizations, o)
		asset, err := o.Client().Collection("/v1/assets").Create(ctx, ams.Record{"name": "Pompe"})
		if err != nil {
			return err
		}
		for _, key := range o.Keys {
			f.all = append(f.all, &fileWriter{balancer: balancer, key: key, interruptions: map[string]int{}, asset: fmt.Sprint((*asset)["id"])})
		}
	}
	return nil
}

func (f *fileKilling) stop() (err error) {
	if f.stack != nil {
		f.stack.Stop()
		err = devstack.Drop(f.folder)
	}
	if f.store != nil {
		f.store.Stop()
	}
	return err
}

// killAll kills instances of the service, the store and gateways in turn, and at every tenth time the database. Between two kills some work
// is acknowledged, however slow the machine is. What is in the trash has been there for longer than it is kept, at once: an instance purges
// it 5 seconds after it was started again. Where that has not happened yet, the kills go on.
func (f *fileKilling) killAll(ctx context.Context, found *fileReport) error {
	for n := 0; n < f.kills || found.Purged == 0 && n < 5*f.kills; {
		if !pauseBetweenKills(ctx) {
			return ctx.Err()
		}
		if err := f.age(ctx, found); err != nil {
			return err
		}
		f.awaitWork(ctx)
		victim := []string{"documents-", "store", "gateway-"}[n%3]
		if n%10 == 4 {
			victim = "postgres"
		}
		var name string
		if victim == "store" {
			f.store.Stop()
			time.Sleep(meanPause / 3)
			if err := f.store.Run(); err != nil {
				return err
			}
			name = victim
		} else {
			name = killOneOf(f.stack, victim)
		}
		if name == "" {
			continue
		}
		n++
		found.Kills[strings.TrimRight(name, "-0123456789")]++
		f.logf("%3d of %d: killed %s", n, f.kills, name)
	}
	return nil
}

// awaitWork waits until six more requests of the writers are acknowledged, or for 15 seconds.
func (f *fileKilling) awaitWork(ctx context.Context) {
	count := func() (all int64) {
		for _, w := range f.all {
			all += w.acknowledged.Load()
		}
		return all
	}
	for wanted, deadline := count()+6, time.Now().Add(15*time.Second); count() < wanted && time.Now().Before(deadline) && ctx.Err() == nil; {
		time.Sleep(20 * time.Millisecond)
	}
}

// age lets the days pass for which the trash is kept, and counts what was purged.
func (f *fileKilling) age(ctx context.Context, found *fileReport) error {
	db, err := awaitDatabase(ctx, f.stack.Description().PostgresURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	if _, err = db.Exec(ctx, `UPDATE documents.document SET trashed_at = trashed_at - interval '31 days'
		WHERE trashed_at > clock_timestamp() - interval '30 days'`); err != nil {
		return err
	}
	return db.QueryRow(ctx, `SELECT count(DISTINCT record_id) FROM documents.history
		WHERE collection = 'documents' AND action = 'deleted'`).Scan(&found.Purged)
}

// purgeRest has purged what is in the trash. Instances do so when they are started, so they are killed until it is done.
func (f *fileKilling) purgeRest(ctx context.Context, db *pgx.Conn) error {
	if err := f.age(ctx, &fileReport{}); err != nil {
		return err
	}
	for deadline, next := time.Now().Add(sweepTime), time.Now(); ; time.Sleep(200 * time.Millisecond) {
		var left int
		if err := db.QueryRow(ctx, "SELECT count(*) FROM documents.document WHERE trashed_at IS NOT NULL").Scan(&left); err != nil || left == 0 {
			return err
		}
		switch {
		case time.Now().After(deadline):
			return fmt.Errorf("%d documents are not purged after %s", left, sweepTime)
		case time.Now().After(next):
			killOneOf(f.stack, "documents-")
			next = time.Now().Add(20 * time.Second)
		}
	}
}

// compare has the rest of the trash purged, reads back what was acknowledged, waits for the sweepers, and compares.
func (f *fileKilling) compare(ctx context.Context, found *fileReport) error {
	db, err := awaitDatabase(ctx, f.stack.Description().PostgresURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	if err := f.purgeRest(ctx, db); err != nil {
		return err
	}
	last := time.Now()
	limited, cancel := context.WithTimeout(ctx, maxRecovery)
	defer cancel()
	for _, w := range f.all {
		if err := w.balancer.AwaitReady(limited); err != nil {
			return err
		}
		w.readBack(limited, found)
	}
	if err := db.QueryRow(ctx, "SELECT count(*) FROM documents.blob WHERE state <> 'ready'").Scan(&found.Unfinished); err != nil {
		return err
	}
	end := endLeases
	if f.wait {
		end = endDays
	}
	if err := end(ctx, db); err != nil {
		return err
	}
	wrong, err := awaitSwept(ctx, db, f.store.Folder)
	if err != nil {
		return err
	}
	found.Swept = time.Since(last)
	found.Wrong = append(found.Wrong, wrong...)
	if err := f.comparePurged(ctx, db, found); err != nil {
		return err
	}
	return f.compareRows(ctx, db, found)
}

// compareRows looks for writes by half, for documents that were made twice, and for figures that are not those of the rows.
func (f *fileKilling) compareRows(ctx context.Context, db *pgx.Conn, found *fileReport) error {
	if err := consistency.AwaitPublished(ctx, db); err != nil {
		return err
	}
	partial, err := consistency.PartialWrites(ctx, db)
	if err != nil {
		return err
	}
	found.Wrong = append(found.Wrong, partial...)
	rows, err := db.Query(ctx, "SELECT format('%s documents were made of %s', count(*), title) "+
		"FROM documents.document GROUP BY organization_id, title HAVING count(*) > 1")
	if err != nil {
		return err
	}
	twice, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	found.Wrong = append(found.Wrong, twice...)
	for _, o := range f.organizations {
		var storage struct{ Used, Reserved int64 }
		if err := o.Client().Request(ctx, ams.Request{Path: "/v1/storage"}, &storage); err != nil {
			return err
		}
		var sizes int64
		if err := db.QueryRow(ctx, `SELECT coalesce(sum(size), 0)::bigint FROM (SELECT DISTINCT b.id, b.size FROM documents.document_revision r
			JOIN documents.blob b ON b.organization_id = r.organization_id AND b.id = r.blob_id
				WHERE r.organization_id = $1) c`, o.ID).Scan(&sizes); err != nil {
			return err
		}
		if storage.Used != sizes || storage.Reserved != 0 {
			found.Wrong = append(found.Wrong, fmt.Sprintf("an organization is told that it uses %d bytes, with %d reserved; its revisions have %d",
				storage.Used, storage.Reserved, sizes))
		}
	}
	return nil
}

// comparePurged looks for contents of documents that were purged: each content is that of one document. That all others are there, and the
// store has the bytes of no other content, awaitSwept says.
func (f *fileKilling) comparePurged(ctx context.Context, db *pgx.Conn, found *fileReport) error {
	var purged []string
	for _, w := range f.all {
		for _, each := range w.files {
			if each.purged {
				purged = append(purged, each.digests...)
			}
		}
	}
	rows, err := db.Query(ctx, `SELECT format('the content %s of a document that was purged is %s', encode(sha256, 'hex'), state)
		FROM documents.blob
		WHERE encode(sha256, 'hex') = ANY($1)`, purged)
	if err != nil {
		return err
	}
	left, err := pgx.CollectRows(rows, pgx.RowTo[string])
	found.Wrong = append(found.Wrong, left...)
	return err
}

// readBack compares what is there with what one writer was told.
func (w *fileWriter) readBack(ctx context.Context, found *fileReport) {
	found.Uploads += w.uploads
	found.Revisions += w.revisions
	found.Deletes += w.deletes
	for what, times := range w.interruptions {
		found.Interrupted[what] += times
	}
	found.Wrong = append(found.Wrong, w.wrong...)
	for _, each := range w.files {
		a := w.settled(ctx, load.Call{Method: http.MethodGet, Path: "/v1/documents/" + each.id + "/content", Key: w.key})
		shown := w.settled(ctx, load.Call{Method: http.MethodGet, Path: "/v1/documents/" + each.id, Key: w.key})
		each.purged = shown.Status == http.StatusNotFound
		switch {
		case each.deleted:
			if !each.purged {
				found.Wrong = append(found.Wrong,
					fmt.Sprintf("the delete of %s was acknowledged, and it is there: %d %.300s", each.id, shown.Status, shown.Body))
			}
			continue
		case each.deleting && each.purged:
			continue
		case a.Err != nil || a.Status != http.StatusOK:
			found.Wrong = append(found.Wrong,
				fmt.Sprintf("the file %s was acknowledged, and is answered %d %.300s %v", each.id, a.Status, a.Body, a.Err))
		case !slices.Contains(each.digests, load.Digest(a.Body)):
			found.Wrong = append(found.Wrong,
				fmt.Sprintf("the file %s has the sha256 %s, and not one of %v", each.id, load.Digest(a.Body), each.digests))
		}
		found.Files++
	}
}

// settled reads something once what is away is back, and scans are over.
func (w *fileWriter) settled(ctx context.Context, call load.Call) load.Response {
	for {
		a := w.balancer.Do(ctx, call)
		if a.Err == nil && a.Status < 500 && a.Code() != "scan_pending" || ctx.Err() != nil {
			return a
		}
		time.Sleep(100 * time.Millisecond)
	}
}
