package documents

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/parquet"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

// StorageReport is what the organization keeps, and may keep. Sizes are in bytes.
type StorageReport struct {
	Limit        int64             `json:"limit" unit:"byte" doc:"What the plan and its add-ons include."`
	Used         int64             `json:"used" unit:"byte" doc:"The sizes of all contents, each once, of all revisions, trash included."`
	Reserved     int64             `json:"reserved" unit:"byte" doc:"For what is on its way."`
	TrashBytes   int64             `json:"trash_bytes" unit:"byte" doc:"Of used: what is in the trash alone, and goes with it."`
	Documents    int64             `json:"documents" doc:"That the key may see, without the trash."`
	ByCollection []StorageGroup    `json:"by_collection" doc:"By what the documents are on. A content that several groups have counts in each."`
	ByKind       []StorageGroup    `json:"by_kind" doc:"By what the documents are; of the name none: those of which it is not said."`
	Largest      []StorageDocument `json:"largest" doc:"The ten documents with the most bytes in their revisions."`
	Scanner      StorageScanner    `json:"scanner"`
	Store        StorageStore      `json:"store"`
	Verified     *StorageVerified  `json:"verified" doc:"When contents were last compared with the objects of the store, and what was found; null until then."`
}

// StorageGroup is the documents of one group that the key may see.
type StorageGroup struct {
	Name      string `json:"name" example:"assets"`
	Documents int64  `json:"documents" doc:"With a content, without the trash."`
	Bytes     int64  `json:"bytes" unit:"byte" doc:"Of the contents of their revisions, each once."`
}

// StorageDocument is a large document.
type StorageDocument struct {
	ID    string `json:"id" format:"uuid"`
	Title string `json:"title"`
	Bytes int64  `json:"bytes" unit:"byte" doc:"Of the contents of its revisions, each once."`
}

// StorageScanner says whether files are looked through for malware.
type StorageScanner struct {
	Configured bool    `json:"configured"`
	Reachable  bool    `json:"reachable"`
	Version    *string `json:"version" doc:"Of the program and its signatures; null while it cannot be reached." example:"ClamAV 1.4.6/27830/Sun Nov 22 10:24:08 2026"`
}

// StorageStore says whether the bytes can be reached.
type StorageStore struct {
	Reachable bool `json:"reachable"`
}

// StorageVerified is what the operator's comparison of contents and objects found of this organization.
type StorageVerified struct {
	At      string `json:"at" format:"date-time"`
	Deep    bool   `json:"deep" doc:"The bytes were read and compared with their sha256."`
	Missing int64  `json:"missing" doc:"Contents without their object, or with another."`
	Unknown int64  `json:"unknown" doc:"Objects that no content had."`
}

// Table implements transport.Tabular: what is counted, of what, how many documents, how many bytes.
func (r StorageReport) Table() transport.Table {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	rows := [][]string{{"limit", "", "", number(r.Limit)}, {"used", "", number(r.Documents), number(r.Used)},
		{"reserved", "", "", number(r.Reserved)}, {"trash", "", "", number(r.TrashBytes)}}
	for _, of := range []struct {
		figure string
		groups []StorageGroup
	}{{"by_collection", r.ByCollection}, {"by_kind", r.ByKind}} {
		for _, g := range of.groups {
			rows = append(rows, []string{of.figure, g.Name, number(g.Documents), number(g.Bytes)})
		}
	}
	for _, large := range r.Largest {
		rows = append(rows, []string{"largest", large.Title, "1", number(large.Bytes)})
	}
	if v := r.Verified; v != nil {
		rows = append(rows, []string{"missing", v.At, number(v.Missing), ""}, []string{"unknown", v.At, number(v.Unknown), ""})
	}
	return transport.TableOfTexts([]parquet.Column{{Name: "figure"}, {Name: "name"}, {Name: "documents", Type: parquet.Integer},
		{Name: "bytes", Type: parquet.Integer}}, rows)
}

func (d *documents) mountStorage() {
	transport.Get(d.registry.API, transport.Operation{
		Path: "/v1/storage", FromReplica: true, ID: "get_storage", Scope: "documents:read", ResponseName: "Storage", CallsOut: true,
		Summary: "Show how much is kept, of what, and how much may be", Description: "As CSV and Parquet too (Accept).",
	}, d.storageReport)
}

// reachTime is how long the report waits for scanner and store.
const reachTime = 2 * time.Second

func (d *documents) storageReport(ctx context.Context, _ struct{}) (StorageReport, error) {
	p := principal.From(ctx)
	report := StorageReport{Limit: p.StorageLimit, ByCollection: []StorageGroup{}, ByKind: []StorageGroup{}, Largest: []StorageDocument{}}
	seen := `FROM document t JOIN document_revision r ON r.organization_id = t.organization_id AND r.document_id = t.id
		JOIN blob b ON b.organization_id = r.organization_id AND b.id = r.blob_id
		WHERE t.organization_id = $1 AND t.status <> 'trashed'` + alsoVisible(ctx)
	err := d.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		batch.Queue(`SELECT coalesce(sum(used), 0)::bigint, coalesce(sum(reserved), 0)::bigint FROM storage
			WHERE organization_id = $1`, p.OrganizationID).
			QueryRow(func(row pgx.Row) error { return row.Scan(&report.Used, &report.Reserved) })
		batch.Queue(`SELECT `+postgres.TimeText("verified_at")+`, verified_deep, verified_missing, verified_unknown FROM storage
			WHERE organization_id = $1 AND verified_at IS NOT NULL`, p.OrganizationID).Query(func(rows pgx.Rows) error {
			found, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[StorageVerified])
			if len(found) > 0 {
				report.Verified = found[0]
			}
			return err
		})
		batch.Queue(`SELECT coalesce(sum(b.size), 0)::bigint FROM blob b WHERE b.organization_id = $1 AND b.state = 'ready' AND NOT EXISTS (
				SELECT FROM document_revision r JOIN document d ON d.organization_id = r.organization_id AND d.id = r.document_id
				WHERE r.organization_id = b.organization_id AND r.blob_id = b.id AND d.status <> 'trashed')`, p.OrganizationID).
			QueryRow(func(row pgx.Row) error { return row.Scan(&report.TrashBytes) })
		batch.Queue(`SELECT count(*) FROM document t WHERE t.organization_id = $1 AND t.status <> 'trashed'`+alsoVisible(ctx), p.OrganizationID).
			QueryRow(func(row pgx.Row) error { return row.Scan(&report.Documents) })
		for group, groups := range map[string]*[]StorageGroup{"t.collection": &report.ByCollection, "coalesce(t.kind, 'none')": &report.ByKind} {
			batch.Queue(`SELECT name, sum(documents)::bigint, sum(size)::bigint FROM (
					SELECT `+group+` AS name, count(DISTINCT t.id)
						FILTER (WHERE r.number = t.revision) AS documents, max(b.size) AS size `+seen+` GROUP BY 1, b.id) c
				GROUP BY 1 ORDER BY 3 DESC, 1`, p.OrganizationID).Query(func(rows pgx.Rows) (err error) {
				*groups, err = pgx.CollectRows(rows, pgx.RowToStructByPos[StorageGroup])
				return err
			})
		}
		batch.Queue(`SELECT id::text, title, sum(size)::bigint FROM (SELECT DISTINCT t.id, t.title, b.id AS blob, b.size `+seen+`) c
			GROUP BY id, title
			ORDER BY 3 DESC, 1 LIMIT 10`, p.OrganizationID).Query(func(rows pgx.Rows) (err error) {
			report.Largest, err = pgx.CollectRows(rows, pgx.RowToStructByPos[StorageDocument])
			return err
		})
	})
	if err != nil {
		return report, postgres.Fault(err, nil)
	}
	d.reach(ctx, &report)
	return report, nil
}

// reach asks store and scanner whether they are there, at the same time.
func (d *documents) reach(ctx context.Context, report *StorageReport) {
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	stored := make(chan bool, 1)
	go func() { stored <- d.store.Check(ctx) == nil }()
	if d.scanner != nil {
		report.Scanner.Configured = true
		if version, err := d.scanner.Version(ctx); err == nil {
			report.Scanner.Reachable, report.Scanner.Version = true, &version
		}
	}
	report.Store.Reachable = <-stored
}
