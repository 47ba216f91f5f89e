package documents

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

const (
	// trashDays is how long documents are kept in the trash.
	trashDays = 30
	// purgeInterval is the time between two looks for documents whose time has come.
	purgeInterval = time.Hour
	// purgeRows is how many documents one transaction takes: uploads of the organization wait for it.
	purgeRows = 100
)

// purgeDue has those documents of all organizations trashed whose retention ends so, and those purged that were in the trash for 30 days,
// and ends uploads that were left in the store. Every instance does so, once an hour; what one has taken, the others do not find.
func (w *worker) purgeDue(ctx context.Context) error {
	w.mu.Lock()
	due := !w.purging && time.Since(w.purged) >= purgeInterval
	w.mu.Unlock()
	if !due {
		return nil
	}
	var trash, purge []string
	err := w.query(ctx, func(conn *pgx.Conn) (err error) {
		if trash, err = organizations(ctx, conn, `SELECT o::text FROM retention_due() o WHERE `+postgres.LivesHere("o")); err == nil {
			purge, err = organizations(ctx, conn, `SELECT o::text
				FROM trash_due(make_interval(days => $1)) o WHERE `+postgres.LivesHere("o"), trashDays)
		}
		return err
	})
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.purging, w.purged = true, time.Now()
	w.mu.Unlock()
	w.tasks.Go(func() {
		w.inBatches(ctx, append(batchesOf("trash", trash, w.trashBatch), batchesOf("purge", purge, w.purgeBatch)...))
		if err := w.sweepUploads(ctx); err != nil && ctx.Err() == nil {
			w.log.WarnContext(ctx, "uploads that were left in the store could not be ended; it is tried again in an hour", "error", err)
		}
		w.mu.Lock()
		w.purging = false
		w.mu.Unlock()
	})
	return nil
}

func organizations(ctx context.Context, conn *pgx.Conn, sql string, args ...any) ([]string, error) {
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// place is behind which document the next batch begins: those that cannot go are not looked at again and again.
type place struct {
	at time.Time
	id string
}

// batches are what is to be done with the documents of an organization: a batch after the other, until there are no more.
type batches struct {
	action, organization string
	one                  func(ctx context.Context, from *place) (more bool, err error)
	from                 *place
}

func batchesOf(action string, organizations []string, one func(ctx context.Context, from *place) (more bool, err error)) (all []batches) {
	for _, organization := range organizations {
		all = append(all, batches{action, organization, one, &place{id: uuid.Nil.String()}})
	}
	return all
}

// inBatches does one batch of each in turn, so that an organization with many documents lets the others through. Where a batch fails, the
// rest is left to the next look.
func (w *worker) inBatches(ctx context.Context, all []batches) {
	for len(all) > 0 {
		var rest []batches
		for _, b := range all {
			more := false
			err := w.onBehalf(principal.Into(ctx, servicePrincipal(b.organization)), b.organization, func(ctx context.Context) (err error) {
				more, err = b.one(ctx, b.from)
				return err
			})
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				w.log.WarnContext(ctx, "documents whose time has come could not be dealt with; they are tried again in an hour", "action", b.action,
					"organization", b.organization, "error", err)
			case more:
				rest = append(rest, b)
			}
		}
		all = rest
	}
}

// lockForPurge takes the locks of a transaction that decides by itself that documents go: those of contents, and of legal holds.
func lockForPurge(ctx context.Context, tx pgx.Tx) error {
	if err := lockStorage(ctx, tx); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock_shared("+holdsLock+")")
	return err
}

// purgeBatch deletes documents for good that were in the trash for long enough and need not be kept, and dooms the contents that nobody has
// any more: all of a batch or nothing. Who trashed a document, its title, sha256 and size stay in its history.
func (w *worker) purgeBatch(ctx context.Context, from *place) (more bool, err error) {
	next, purged := *from, 0
	err = w.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		next = *from
		if err := lockForPurge(ctx, tx); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT t.id::text, t.trashed_at FROM document t WHERE t.organization_id = current_organization()
				AND t.trashed_at <= clock_timestamp() - make_interval(days => $1) AND (t.trashed_at, t.id) > ($2, $3::uuid)
				AND (t.retention_class_id IS NULL OR coalesce(`+retainUntil+` <= `+today+`, false)) AND NOT `+held+`
			ORDER BY t.trashed_at, t.id LIMIT $4 FOR UPDATE OF t SKIP LOCKED`, trashDays, from.at, from.id, purgeRows)
		if err != nil {
			return err
		}
		var ids, contents []string
		if _, err := pgx.ForEachRow(rows, []any{&next.id, &next.at}, func() error {
			ids = append(ids, next.id)
			return nil
		}); err != nil || len(ids) == 0 {
			return err
		}
		if err := tx.QueryRow(ctx, `SELECT coalesce(array_agg(DISTINCT blob_id::text), '{}') FROM document_revision
			WHERE organization_id = current_organization() AND document_id = ANY($1::uuid[])`, ids).Scan(&contents); err != nil {
			return err
		}
		refused, err := w.registry.Erase(ctx, tx, "documents", ids)
		if err != nil {
			return err
		}
		for id, reason := range refused {
			w.log.WarnContext(ctx, "a document stays in the trash", "document", id, "reason", reason)
		}
		more, purged = len(ids) == purgeRows, len(ids)-len(refused)
		_, err = tx.Exec(ctx, `SELECT doom_blobs($1::uuid[], make_interval(secs => $2))`, contents, w.keep.Seconds())
		return err
	})
	if err != nil {
		return false, fmt.Errorf("purge documents: %w", err)
	}
	*from = next
	metrics.purged.Add(ctx, int64(purged))
	return more, nil
}

// trashBatch puts documents into the trash whose retention has ended and whose class says so. The audit trail says
// which class, and which day.
func (w *worker) trashBatch(ctx context.Context, from *place) (more bool, err error) {
	next := *from
	err = w.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		next = *from
		if err := lockForPurge(ctx, tx); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT t.id::text, t.created_at, t.version, c.code, `+retainUntil+`::text
			FROM document t JOIN retention_class c ON c.organization_id = t.organization_id AND c.id = t.retention_class_id
			WHERE t.organization_id = current_organization() AND c.active AND c.action = 'trash' AND t.status <> 'trashed'
				AND (t.created_at, t.id) > ($1, $2::uuid) AND `+retainUntil+` <= `+today+` AND NOT `+held+`
			ORDER BY t.created_at, t.id LIMIT $3 FOR UPDATE OF t SKIP LOCKED`, from.at, from.id, purgeRows)
		if err != nil {
			return err
		}
		var ids []string
		var reasons []resource.HistoryEntry
		var version int
		var class, until string
		if _, err := pgx.ForEachRow(rows, []any{&next.id, &next.at, &version, &class, &until}, func() error {
			changes, err := json.Marshal(map[string]any{"retention_class": map[string]any{"old": nil, "new": class},
				"retain_until": map[string]any{"old": nil, "new": until}})
			ids = append(ids, next.id)
			reasons = append(reasons, resource.HistoryEntry{RecordID: next.id, Version: version + 1, Changes: changes})
			return err
		}); err != nil || len(ids) == 0 {
			return err
		}
		more = len(ids) == purgeRows
		refused, err := w.registry.Remove(ctx, tx, "documents", "", ids)
		if err != nil {
			return err
		}
		if err := retainedError(refused); err != nil {
			return err
		}
		return resource.AddHistoryEntries(ctx, tx, "documents", "retention_ended", reasons)
	})
	if err != nil {
		return false, fmt.Errorf("trash documents whose retention has ended: %w", err)
	}
	*from = next
	return more, nil
}
