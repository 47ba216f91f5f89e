package infrastructure

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
)

// Ratings that are set on segments themselves. Each is kept in segment_rating, so that one that is outranked today still counts for other
// days; together with the inspections they say what drives a segment's condition.

// rating is what a change says of a segment's condition. Without value, everything that was set on the segment itself is taken back.
type rating struct {
	value  *int
	on     string // day
	method string
	at     string // when it was said
}

// isWeak reports whether somebody has only reported the rating, or taken it from the age.
func (r *rating) isWeak() bool {
	return r.method == "age_based" || r.method == indicators.ReportedMethod
}

// state finds out what a change says of the condition. A day or a method that is left out or merely sent back while the rating changes is
// today and reported. The same rating with another day is a statement as well; the same rating without one says nothing, nor does one that
// was the last to be reported, so that a nightly load of the same value changes nothing.
func (s *Segment) state(c *resource.Change[Segment], today string) {
	before := c.Before
	if before == nil {
		before = &Segment{}
	}
	dated := s.ConditionAssessedOn != nil && !resource.Same(s.ConditionAssessedOn, before.ConditionAssessedOn)
	qualified := s.ConditionMethod != nil && !resource.Same(s.ConditionMethod, before.ConditionMethod)
	changed := !resource.Same(s.ConditionRating, before.ConditionRating)
	s.stated = nil
	switch {
	case s.ConditionRating == nil && dated:
		c.FieldError("condition_assessed_on", "dates a condition_rating, which is missing; send both")
	case s.ConditionRating == nil && qualified:
		c.FieldError("condition_method", "says how condition_rating was found out, which is missing; send both")
	case dated && *s.ConditionAssessedOn > today:
		c.FieldError("condition_assessed_on", "must not be in the future")
	case s.ConditionRating == nil:
		if changed {
			s.stated = &rating{}
		}
	case dated || changed || qualified:
		value := *s.ConditionRating
		stated := &rating{value: &value, on: today, method: indicators.ReportedMethod,
			at: time.Now().UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)}
		switch {
		case dated:
			stated.on = *s.ConditionAssessedOn
		case !changed && before.ConditionAssessedOn != nil:
			stated.on = *before.ConditionAssessedOn
		}
		if qualified || dated && s.ConditionMethod != nil && c.Sets("condition_method") {
			stated.method = *s.ConditionMethod
		}
		if dated || !stated.isWeak() || !resource.Same(s.ConditionRating, before.ReportedConditionRating) {
			s.stated = stated
		}
	}
	s.ConditionRating, s.ConditionAssessedOn, s.ConditionMethod = before.ConditionRating, before.ConditionAssessedOn, before.ConditionMethod
	s.report(before.ReportedConditionRating, before.ConditionReportedAt)
}

// report sets the last rating that was only reported.
func (s *Segment) report(value *int, at *string) {
	s.ReportedConditionRating, s.ConditionReportedAt = value, at
}

// ratingsOf is a SELECT of everything that was said of a segment's condition. segment is an SQL expression.
func ratingsOf(segment string) string {
	return `SELECT i.condition_rating AS rating, i.inspected_on AS stated_on, i.method, i.id AS source, true AS strong,
			i.created_at AS entered_at, i.position
		FROM inspection i
		WHERE i.organization_id = current_organization() AND i.segment_id = ` + segment + ` AND i.condition_rating IS NOT NULL
		UNION ALL
		SELECT o.condition_rating, o.stated_on, o.method, NULL, ` + indicators.Strong("o.method") + `, o.entered_at, o.position
		FROM segment_rating o WHERE o.organization_id = current_organization() AND o.segment_id = ` + segment
}

// drivingRating is the order in which what drives comes first among the rows r of ratingsOf.
var drivingRating = indicators.DrivingRating("r.stated_on", "r.strong", "r.entered_at DESC, r.position")

// derivedSQL says what drives the segments $1 when $2 (ratings), $3 (days) and $4 (methods) are said of them, and whether that is the last
// rating to be reported. Said is whether it was said of that day already. Without a rating, what was set on the segment is taken back.
var derivedSQL = `
	SELECT n.id::text, d.rating, d.stated_on::text, d.method, d.source::text,
		NOT EXISTS (SELECT FROM segment_rating o WHERE o.organization_id = current_organization() AND o.segment_id = n.id
			AND o.stated_on > n.stated_on AND NOT ` + indicators.Strong("o.method") + `) AS last,
		coalesce((SELECT o.condition_rating = n.rating AND o.method = n.method FROM segment_rating o
			WHERE o.organization_id = current_organization() AND o.segment_id = n.id AND o.stated_on = n.stated_on
				AND ` + indicators.Strong("o.method") + ` = ` + indicators.Strong("n.method") + `
			ORDER BY o.position DESC LIMIT 1), false) AS said
	FROM unnest($1::uuid[], $2::int[], $3::date[], $4::text[]) n (id, rating, stated_on, method)
	LEFT JOIN LATERAL (
		SELECT * FROM (
			SELECT * FROM (` + ratingsOf("n.id") + `) known WHERE n.rating IS NOT NULL OR known.source IS NOT NULL
			UNION ALL
			SELECT n.rating, n.stated_on, n.method, NULL, ` + indicators.Strong("n.method") + `, 'infinity', 0 WHERE n.rating IS NOT NULL
		) r ORDER BY ` + drivingRating + ` LIMIT 1) d ON true`

// rateSegments sets the condition of the segments of which a change states something: what drives it then. Their rows are locked, so that
// what others state of them comes before or after.
func rateSegments(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Segment]) error {
	stating := map[string]*Segment{}
	var ids, methods []string
	var ratings []*int
	var days []*string
	for _, c := range changes {
		switch {
		case c.After == nil || c.After.stated == nil:
		case c.Before == nil:
			stated := c.After.stated
			c.After.ConditionRating, c.After.ConditionAssessedOn, c.After.ConditionMethod = stated.value, &stated.on, &stated.method
			if stated.isWeak() {
				c.After.report(stated.value, &stated.at)
			}
		default:
			stated := c.After.stated
			stating[c.ID()] = c.After
			ids, ratings, methods = append(ids, c.ID()), append(ratings, stated.value), append(methods, stated.method)
			day := &stated.on
			if stated.value == nil {
				day = nil
			}
			days = append(days, day)
		}
	}
	if ids == nil {
		return nil
	}
	rows, err := tx.Query(ctx, derivedSQL, ids, ratings, days, methods)
	if err != nil {
		return err
	}
	var id string
	var value *int
	var day, method, source *string
	var last, known bool
	_, err = pgx.ForEachRow(rows, []any{&id, &value, &day, &method, &source, &last, &known}, func() error {
		s := stating[id]
		if known {
			s.stated = nil
			return nil
		}
		s.ConditionRating, s.ConditionAssessedOn, s.ConditionMethod, s.ConditionSourceID = value, day, method, source
		switch {
		case s.stated.value == nil:
			s.report(nil, nil)
		case s.stated.isWeak() && last:
			s.report(s.stated.value, &s.stated.at)
		}
		return nil
	})
	return err
}

// keepRatings stores what was stated, and takes back what no longer holds.
func keepRatings(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Segment]) error {
	var ids, days, methods, times, back []string
	var ratings []int
	for _, c := range changes {
		switch {
		case c.After == nil || c.After.stated == nil:
		case c.After.stated.value == nil:
			back = append(back, c.ID())
		default:
			stated := c.After.stated
			ids, days, methods, times = append(ids, c.ID()), append(days, stated.on), append(methods, stated.method), append(times, stated.at)
			ratings = append(ratings, *stated.value)
		}
	}
	if back != nil {
		if _, err := tx.Exec(ctx, "DELETE FROM segment_rating WHERE organization_id = current_organization() AND segment_id = ANY($1::uuid[])",
			back); err != nil {
			return err
		}
	}
	if ids == nil {
		return nil
	}
	_, err := tx.Exec(ctx, `INSERT INTO segment_rating (organization_id, segment_id, stated_on, condition_rating, method, entered_at)
		SELECT current_organization(), * FROM unnest($1::uuid[], $2::date[], $3::int[], $4::text[], $5::timestamptz[])`,
		ids, days, ratings, methods, times)
	return err
}
