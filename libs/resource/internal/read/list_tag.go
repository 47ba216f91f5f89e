package read

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/index"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/transport"
)

// A list has an entity tag as well. Each statement that writes records adds a row to facet_pending, by a trigger, and each fold leaves one
// of its own; no two of them have the same id. So the ids that are there are a version of the collection, exact in every snapshot, which
// the statement of a page reads along with the page. Together with the request, and with what is known of its caller, they are the tag of
// a list that nothing else decides: who has it learns that without reading a row. All other lists (with names of other services' records,
// with totals, as of a day) have a checksum of the page. ADR 95 has the reasons.

// maxNoted is how many rows of facet_pending a version is made of at most. Where there are more, the list has a checksum, until they are
// folded.
const maxNoted = 500

// tooMany is what a version says then.
const tooMany = "many"

// listTag makes the tags of a list from its versions.
type listTag struct{ request []byte }

// of gives the tag at a version.
func (l *listTag) of(version string) string {
	sum := sha256.Sum256(append(l.request[:len(l.request):len(l.request)], version...))
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

// tagged gives what makes the list's tags, and has its version read with every page; nil where versions do not decide what it shows.
func (t list) tagged(ctx context.Context, q *query, parameters url.Values) *listTag {
	if q.completed() || q.totals || q.groupBy != nil || len(q.custom) > 0 || q.customOrder() != nil {
		return nil
	}
	shown := table.Selection(q.columns)
	noted := t.notedIn(shown + " " + q.SQL() + " " + q.orderValues())
	if noted == nil {
		return nil
	}
	p := principal.From(ctx)
	request, err := json.Marshal([]any{p.OrganizationID, p.CellName(), p.Currency, p.Calendar().ZoneName(), p.Calendar().Today(),
		p.FiscalYearEnd, p.RenewalBasis, p.RenewalBasisChangedOn, p.FCIBands, t.Row.Name, parameters.Encode(), columnNames(q.columns), shown,
		q.SQL(), q.Args,
		time.Now().UTC().Format(time.DateOnly)}) // the day of the next page's cursor
	if err != nil {
		return nil // an argument that JSON has no form for
	}
	versions := make([]string, len(noted))
	for i, collection := range noted {
		versions[i] = fmt.Sprintf(`(SELECT CASE WHEN count(*) > %d THEN '%s' WHEN count(*) > 0 THEN
			count(*) || '.' || bit_xor(hashint8extended(p.id, 0)) END
			FROM (SELECT id FROM facet_pending WHERE organization_id = $1 AND collection = '%s' LIMIT %[1]d + 1) p)`, maxNoted, tooMany, collection)
	}
	q.version = "coalesce(" + strings.Join(versions, " || ',' || ") + ", '')"
	return &listTag{request}
}

// notedIn gives the collections whose records SQL reads, the list's own first; nil where it reads anything else that may change, or the
// time.
func (t list) notedIn(sql string) []string {
	noted := []string{t.Row.Name}
	if !index.Keeps(t.Table) || strings.Contains(sql, "_timestamp()") || strings.Contains(sql, "now()") {
		return nil
	}
	for _, before := range []string{"FROM ", "JOIN "} {
		for rest := sql; ; {
			var found bool
			if _, rest, found = strings.Cut(rest, before); !found {
				break
			}
			name := rest[:len(rest)-len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz_"))]
			if name == "" || strings.HasPrefix(rest[len(name):], "(") || strings.HasPrefix(rest[len(name):], ".") {
				continue // a query, a function, or what EXTRACT takes a part of
			}
			collection := t.ofTable(name)
			if collection == "" {
				return nil
			}
			if !slices.Contains(noted, collection) {
				noted = append(noted, collection)
			}
		}
	}
	return noted
}

// ofTable gives the collection of the service whose records are in a table and whose writes are noted, or "".
func (t list) ofTable(name string) string {
	for collection, other := range t.Tables {
		if other.Name == name && index.Keeps(other) {
			return collection
		}
	}
	return ""
}

func columnNames(columns []*table.Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

// unchanged gives the 304 that says that the caller has the list, or nil.
func (t list) unchanged(ctx context.Context, q *query, tag *listTag, known string) (response *transport.Response, err error) {
	if tag == nil || known == "" {
		return nil, nil
	}
	err = t.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue("SELECT "+q.version, principal.From(ctx).OrganizationID).QueryRow(func(row pgx.Row) error {
			var version string
			err := row.Scan(&version)
			if current := tag.of(version); isVersion(version) && matched(known, current) != "" {
				response = notModified(current)
			}
			return err
		})
	})
	return response, err
}

// isVersion says whether a version that was read is one.
func isVersion(text string) bool { return text != "" && !strings.Contains(text, tooMany) }

func notModified(tag string) *transport.Response {
	response := &transport.Response{Status: http.StatusNotModified}
	response.SetHeader("ETag", tag)
	return response
}

// withTag puts the tag of a page on its response, and gives the 304 in its place where the caller has it.
func (t list) withTag(ctx context.Context, tag *listTag, p *page, response *transport.Response, known string) *transport.Response {
	if strings.Contains(p.version, tooMany) {
		index.FoldWhenNeeded(ctx, t.Table, maxNoted)
	}
	switch {
	case tag != nil && isVersion(p.version):
		response.SetHeader("ETag", tag.of(p.version))
	case response.Body != nil: // a larger one is not in memory
		current := contentTag("list", response.Body)
		if matched(known, current) != "" {
			return notModified(current)
		}
		response.SetHeader("ETag", current)
	}
	return response
}
