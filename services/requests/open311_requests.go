package requests

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/schema"
)

// A list has the requests of publishedDays at most, and not more than maxPublished.
const (
	publishedDays = 90
	maxPublished  = 1000
)

// published are the requests that the public may see: those that are published, of public services. Contact data is not selected.
const published = `SELECT r.number, r.status, r.public_note, s.name, s.name_fr, s.service_code, r.description, r.created_at,
		CASE WHEN r.status IN ('closed', 'rejected', 'duplicate', 'withdrawn') THEN coalesce(r.ended_at, r.updated_at) ELSE r.updated_at END,
		r.created_at + make_interval(days => s.expected_days), r.address_text, r.latitude::double precision,
			r.longitude::double precision, r.media_url
	FROM request r
	JOIN request_service s ON s.organization_id = r.organization_id AND s.service_code = r.service_code
	WHERE r.organization_id = current_organization() AND r.published AND s.public AND r.number IS NOT NULL`

func (p *publicDoor) listRequests(r *http.Request) (any, error) {
	query := r.URL.Query()
	var found geoRequests
	err := p.inJurisdiction(r.Context(), query.Get("jurisdiction_id"), func(ctx context.Context) error {
		wanted, err := p.readQuery(query)
		if err != nil {
			return err
		}
		found, err = p.readPublished(ctx, p.languages.of(r, query.Get("locale")), wanted)
		return err
	})
	return found, err
}

func (p *publicDoor) showRequest(r *http.Request, number string) (any, error) {
	query := r.URL.Query()
	var found geoRequests
	err := p.inJurisdiction(r.Context(), query.Get("jurisdiction_id"), func(ctx context.Context) (err error) {
		found, err = p.readPublished(ctx, p.languages.of(r, query.Get("locale")), publishedQuery{numbers: []string{number}})
		return err
	})
	if err == nil && len(found) == 0 {
		return nil, fault.New(fault.KindNotFound, "not_found", "service_request_id was not found.")
	}
	return found, err
}

// publishedQuery chooses among published requests. Numbers override everything else.
type publishedQuery struct {
	numbers, codes []string
	states         []string
	from, to       *time.Time
}

// openStates are the states that Open311 calls open; all others are closed.
var openStates = []string{submitted, accepted}

var closedStates = []string{rejected, duplicate, withdrawn, closed}

func (p *publicDoor) readQuery(query url.Values) (wanted publishedQuery, err error) {
	if wanted.numbers = listed(query.Get("service_request_id")); wanted.numbers != nil {
		if len(wanted.numbers) > maxPublished {
			return wanted, fault.Invalid("invalid_request", "service_request_id may name at most %d requests.", maxPublished)
		}
		return wanted, nil
	}
	wanted.codes = listed(query.Get("service_code"))
	for _, status := range listed(query.Get("status")) {
		switch strings.ToLower(status) {
		case "open":
			wanted.states = append(wanted.states, openStates...)
		case "closed":
			wanted.states = append(wanted.states, closedStates...)
		default:
			return wanted, fault.Invalid("invalid_request", "status must be open or closed.")
		}
	}
	for name, at := range map[string]**time.Time{"start_date": &wanted.from, "end_date": &wanted.to} {
		if given := query.Get(name); given != "" {
			parsed, err := time.Parse(time.RFC3339, strings.Replace(given, " ", "+", 1)) // a + that was not encoded
			if err != nil {
				return wanted, fault.Invalid("invalid_request", "%s must be a time with its zone, as in 2026-01-31T14:00:00Z.", name)
			}
			*at = &parsed
		}
	}
	const span = publishedDays * 24 * time.Hour
	switch {
	case wanted.from != nil && wanted.to != nil:
		if wanted.to.Sub(*wanted.from) > span || wanted.to.Before(*wanted.from) {
			return wanted, fault.Invalid("invalid_request", "end_date must be at most %d days after start_date.", publishedDays)
		}
	case wanted.from != nil:
		to := wanted.from.Add(span)
		wanted.to = &to
	default:
		if wanted.to == nil {
			now := p.now().Add(time.Minute)
			wanted.to = &now
		}
		from := wanted.to.Add(-span)
		wanted.from = &from
	}
	return wanted, nil
}

// listed takes a list with commas apart. An empty parameter is none.
func listed(given string) (values []string) {
	for value := range strings.SplitSeq(cleanText(given), ",") {
		if value = schema.Line(value); value != "" {
			values = append(values, value)
		}
	}
	return values
}

func (p *publicDoor) readPublished(ctx context.Context, lang *language, wanted publishedQuery) (geoRequests, error) {
	sql, args := published, []any{}
	where := func(condition string, value any) {
		args = append(args, value)
		sql += " AND " + strings.ReplaceAll(condition, "?", "$"+string(rune('0'+len(args))))
	}
	if wanted.numbers != nil {
		where("r.number_key IN (SELECT unique_key(n) FROM unnest(?::text[]) n)", wanted.numbers)
	} else {
		where("r.created_at >= ?", *wanted.from)
		where("r.created_at <= ?", *wanted.to)
		if wanted.codes != nil {
			where("s.service_code_key IN (SELECT unique_key(c) FROM unnest(?::text[]) c)", wanted.codes)
		}
		if wanted.states != nil {
			where("r.status = ANY(?::text[])", wanted.states)
		}
	}
	shown := geoRequests{}
	err := p.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, sql+` ORDER BY r.created_at DESC, r.id LIMIT 1000`, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			one, err := scanPublished(rows, lang)
			if err != nil {
				return err
			}
			shown = append(shown, one)
		}
		return rows.Err()
	})
	return shown, postgres.Fault(err, nil)
}

func scanPublished(rows pgx.Rows, lang *language) (one geoRequest, err error) {
	var status, name string
	var note, nameFR, description, address, media *string
	var requested, updated time.Time
	var expected *time.Time
	err = rows.Scan(&one.ID, &status, &note, &name, &nameFR, &one.ServiceCode, &description, &requested, &updated, &expected, &address,
		&one.Lat, &one.Long, &media)
	one.Status = "open"
	if slices.Contains(closedStates, status) {
		one.Status = "closed"
	}
	one.StatusNotes, one.ServiceName, one.Description = text(either(note, "")), text(lang.name(name, nameFR)), text(either(description, ""))
	one.Requested, one.Updated = requested.UTC().Format(time.RFC3339), updated.UTC().Format(time.RFC3339)
	if expected != nil {
		one.Expected = text(expected.UTC().Format(time.RFC3339))
	}
	one.Address, one.MediaURL = text(either(address, "")), text(either(media, ""))
	return one, err
}
