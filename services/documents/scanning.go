package documents

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
	"ams.internal/services/documents/scan"
)

const (
	// signaturesInterval is the time between two questions of an instance for the scanner's signatures.
	signaturesInterval = 10 * time.Minute
	// scanAgainAge is how old contents may be that are scanned again with new signatures, or by a scanner that was not there before.
	scanAgainAge = 30 * 24 * time.Hour
	// scanTime is how long one scan may take: 2 GiB through a slow scanner.
	scanTime = 30 * time.Minute
)

// verdict is what a scan found, with the version of the scanner and its signatures.
type verdict struct {
	scan.Verdict
	version string
}

// scan has a content scanned. While it was never scanned it stays pending until that worked.
func (w *worker) scan(ctx context.Context, c *claimed) error {
	err := w.probe(ctx)
	if err == nil {
		var found verdict
		if found, err = w.scanBlob(ctx, c.blob, c.size); err == nil {
			w.markAvailable()
			return w.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return w.keepVerdict(ctx, tx, c.blob, found) })
		}
	}
	recordResult(ctx, metrics.scans, "failed")
	if errors.Is(err, scan.ErrOverlooks) || errors.Is(err, scan.ErrUnavailable) && w.scanner.Ping(ctx) != nil {
		w.markUnavailable()
	}
	return err
}

// probe makes sure once that the scanner says what it cannot look into.
func (w *worker) probe(ctx context.Context) error {
	w.mu.Lock()
	probed := w.probed
	w.mu.Unlock()
	if probed {
		return nil
	}
	if err := w.scanner.Probe(ctx); err != nil {
		return err
	}
	w.mu.Lock()
	w.probed = true
	w.mu.Unlock()
	return nil
}

// markAvailable notes that the scanner responds.
func (w *worker) markAvailable() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unavailableUntil, w.delay = time.Time{}, 0
}

// markUnavailable keeps scans from being begun for some time, which grows with each attempt: 5 s to 1 min. A scanner that comes back is
// probed again.
func (w *worker) markUnavailable() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Now().Before(w.unavailableUntil) {
		return // another task found out just before
	}
	w.delay = min(max(2*w.delay, minDelay), maxDelay)
	w.unavailableUntil, w.probed = time.Now().Add(w.delay), false
}

// scanBlob streams a content from the store to the scanner.
func (d *documents) scanBlob(ctx context.Context, blob string, size int64) (found verdict, err error) {
	ctx, cancel := context.WithTimeout(ctx, scanTime)
	defer cancel()
	if found.version, err = d.scanner.Version(ctx); err != nil {
		return found, err
	}
	body := io.NopCloser(io.Reader(nil))
	if size <= scan.LargestContent { // else nobody reads it
		if body, err = d.store.Open(ctx, key(principal.From(ctx).OrganizationID, blob), 0, size); err != nil {
			return found, err
		}
	}
	found.Verdict, err = d.scanner.Scan(ctx, body, size)
	_ = body.Close() // everything that is needed was read
	return found, err
}

// keepVerdict writes what a scan found: into the content, and into every document that has it. Pictures are read from then on, unless it is
// malware.
func (d *documents) keepVerdict(ctx context.Context, tx pgx.Tx, blob string, found verdict) error {
	if err := lockStorage(ctx, tx); err != nil {
		return err
	}
	var detail *string
	if found.Detail != "" {
		detail = &found.Detail
	}
	written, err := tx.Exec(ctx, `UPDATE blob SET scan_status = $2, scan_detail = $3, scan_signatures = $4, scanned_at = clock_timestamp(),
		scan_due_at = NULL, picture_due_at = CASE WHEN picture_due_at IS NULL THEN NULL WHEN $2 = 'infected' THEN 'infinity'
				WHEN picture_due_at = 'infinity' THEN clock_timestamp() ELSE picture_due_at END
		WHERE organization_id = current_organization() AND id = $1 AND state = 'ready'`, blob, string(found.State), detail, found.version)
	if err != nil || written.RowsAffected() == 0 { // nobody has it any more
		return err
	}
	recordResult(ctx, metrics.scans, string(found.State))
	d.wake(ctx)
	return d.updateDocuments(ctx, tx, blob, "scan_status")
}

// updateDocuments sets columns of the documents whose latest revision has a content to what is known of it.
func (d *documents) updateDocuments(ctx context.Context, tx pgx.Tx, blob string, columns ...string) error {
	source := "SELECT t.id"
	for _, column := range columns {
		source += ", b." + column
	}
	return d.registry.UpdateWhere(ctx, tx, "documents", columns, source+` FROM document t
		JOIN document_revision r ON r.organization_id = t.organization_id AND r.document_id = t.id AND r.number = t.revision
		JOIN blob b ON b.organization_id = r.organization_id AND b.id = r.blob_id
		WHERE t.organization_id = $1 AND b.id = $2`, blob)
}

// scanAgain has contents of the last 30 days scanned again when the scanner has other signatures than they were scanned with; also those
// that were not scanned because there was no scanner. They can be read meanwhile.
func (w *worker) scanAgain(ctx context.Context) error {
	version, err := w.scanner.Version(ctx)
	if err != nil {
		return err
	}
	if version != w.signatures {
		const batch = 10_000 // the rest is for the next look: what is due meanwhile does not wait for all of them
		var marked int64
		if err := w.query(ctx, func(conn *pgx.Conn) error {
			return conn.QueryRow(ctx, `SELECT scan_again($1, make_interval(secs => $2), $3)`, version, scanAgainAge.Seconds(), batch).Scan(&marked)
		}); err != nil || marked == batch {
			return err
		}
	}
	w.signatures, w.versionChecked = version, time.Now()
	return nil
}

func (d *documents) mountRescan() {
	d.registry.API.Handle(transport.Operation{
		Method: http.MethodPost, Path: "/v1/documents/{id}/rescan", ID: "rescan_document", Scope: "documents:write", Versioned: true,
		Summary: "Have a document looked through for malware again",
		Description: "Answers the document at once. Until it was looked through, its content is answered as before, and scanned_at of its " +
			"latest revision is null. What was found to be malware may turn out not to be. 409 where there is no scanner (no_scanner).",
		Parameters: []transport.Parameter{{Name: "id", In: "path", Required: true, Schema: map[string]any{"type": "string", "format": "uuid"}}},
		Response:   transport.Reference("Document"),
	}, d.rescan)
}

// rescan has the content of a document scanned again by the worker: 2 GiB through a slow scanner take longer than anybody waits for an
// answer. Its verdict counts until there is another, as the content may be that of documents on which the caller has no say.
func (d *documents) rescan(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if err := r.CheckQuery(); err != nil {
		return nil, err
	}
	var collection string
	var blob *string
	err = d.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`SELECT t.collection, r.blob_id::text FROM document t LEFT JOIN document_revision r
				ON r.organization_id = t.organization_id AND r.document_id = t.id AND r.number = t.revision
			WHERE t.organization_id = current_organization() AND t.id = $1`+alsoVisible(ctx), id).QueryRow(func(row pgx.Row) error {
			return row.Scan(&collection, &blob)
		})
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, d.notVisible(ctx, id)
	case err != nil:
		return nil, postgres.Fault(err, nil)
	}
	if reason := mayWrite(principal.From(ctx), collection); reason != nil {
		return nil, reason
	}
	switch {
	case d.scanner == nil:
		return nil, fault.Conflict("no_scanner", "scan_status", "not_scanned", "This server has no scanner for malware.")
	case blob == nil:
		return nil, fault.Conflict("no_content", "revision", nil, "The document is a draft; it has no content that could be scanned.")
	}
	var response *transport.Response
	err = d.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		// Due since the content is there, so it comes before all that is due because of new signatures.
		_, err := tx.Exec(ctx, `UPDATE blob SET scanned_at = NULL, scan_due_at = ready_at
			WHERE organization_id = current_organization() AND id = $1 AND state = 'ready' AND scan_status <> 'pending'`, *blob)
		if err != nil {
			return err
		}
		d.wake(ctx)
		response, err = d.registry.Show(ctx, tx, "documents", id)
		return err
	})
	return response, postgres.Fault(err, nil)
}
