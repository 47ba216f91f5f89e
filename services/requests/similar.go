package requests

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// Requests are similar that ask for the same service within similarDays of each other, at the same place or no more than similarMetres
// apart.
const (
	similarDays   = 30
	similarMetres = 100
	maxSimilar    = 50
)

type similarQuery struct {
	ID string `path:"id" format:"uuid" doc:"Of the request, as the list gives it."`
}

// SimilarRequest is a request that may ask for the same as another.
type SimilarRequest struct {
	ID        string   `json:"id" format:"uuid"`
	Number    *string  `json:"number"`
	Title     string   `json:"title"`
	Status    string   `json:"status"`
	CreatedAt string   `json:"created_at" format:"date-time"`
	SamePlace bool     `json:"same_place" doc:"Whether both are about the same asset, building, site or segment: the most exact of them that this request names."`
	DistanceM *float64 `json:"distance_m" unit:"m" doc:"How far apart they are, to the metre, where both have coordinates."`
}

// SimilarRequests are those that are similar to one, the newest first.
type SimilarRequests struct {
	Data []SimilarRequest `json:"data" doc:"At most 50."`
}

func (d desk) mountSimilar() {
	transport.Get(d.registry.API, transport.Operation{
		Path: "/v1/requests/{id}/similar", ID: "list_similar_requests", ResponseName: "SimilarRequests", Scope: "requests:read",
		Summary: "List requests that may ask for the same",
		Description: "The same service, at most 30 days before or after, and the same place or at most 100 m away. " +
			"Duplicates are left out: their originals are there.",
	}, d.similar)
}

// similarSQL compares the most exact place that the request names. Distances are on a sphere, which is exact to half a metre in a hundred.
const similarSQL = `WITH this AS (
	SELECT r.*, CASE WHEN r.asset_id IS NOT NULL THEN 'asset' WHEN r.segment_id IS NOT NULL THEN 'segment'
			WHEN r.building_id IS NOT NULL THEN 'building' WHEN r.site_id IS NOT NULL THEN 'site' END AS by
	FROM request r WHERE r.organization_id = current_organization() AND r.id = $1
), others AS (
	SELECT o.id, o.number, o.title, o.status, o.created_at,
		coalesce(CASE t.by WHEN 'asset' THEN o.asset_id = t.asset_id WHEN 'segment' THEN o.segment_id = t.segment_id
			WHEN 'building' THEN o.building_id = t.building_id WHEN 'site' THEN o.site_id = t.site_id END, false) AS same_place,
		round((2 * 6371008.8 * asin(least(1, sqrt(
			sin(radians((o.latitude - t.latitude)::double precision) / 2) ^ 2
			+ cos(radians(t.latitude::double precision)) * cos(radians(o.latitude::double precision))
				* sin(radians((o.longitude - t.longitude)::double precision) / 2) ^ 2))))::numeric, 0) AS distance
	FROM this t JOIN request o ON o.organization_id = t.organization_id AND o.service_code = t.service_code
		AND o.created_at BETWEEN t.created_at - make_interval(days => $2) AND t.created_at + make_interval(days => $2)
	WHERE o.id <> t.id AND o.status <> 'duplicate'
)
SELECT id::text, number, title, status, created_at, same_place, distance::double precision FROM others
WHERE same_place OR distance <= $3 ORDER BY created_at DESC, id LIMIT $4`

func (d desk) similar(ctx context.Context, in similarQuery) (SimilarRequests, error) {
	found := SimilarRequests{Data: []SimilarRequest{}}
	err := d.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `SELECT FROM request WHERE organization_id = current_organization() AND id = $1`, in.ID).Scan(); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, similarSQL, in.ID, similarDays, similarMetres, maxSimilar)
		if err != nil {
			return err
		}
		found.Data, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (s SimilarRequest, err error) {
			var created time.Time
			err = row.Scan(&s.ID, &s.Number, &s.Title, &s.Status, &created, &s.SamePlace, &s.DistanceM)
			s.CreatedAt = *instant(&created)
			return s, err
		})
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return found, fault.NotFound("request", in.ID)
	}
	return found, postgres.Fault(err, nil)
}
