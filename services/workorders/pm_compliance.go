package workorders

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/postgres"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// ComplianceRequest asks whether preventive maintenance was done in time.
type ComplianceRequest struct {
	From     string  `query:"from" required:"true" format:"date" doc:"First day on which it was due."`
	To       string  `query:"to" required:"true" format:"date" doc:"Last day on which it was due; days to come do not count."`
	Rule     string  `query:"rule" default:"due_date" enum:"due_date,one_day,grace_20,window" doc:"What is in time: until the due day, one day more, a fifth of the interval more (at most 28 days), or within the plan's window."`
	PMPlanID *string `query:"pm_plan_id" format:"uuid" doc:"Of this plan only."`
	SiteID   *string `query:"site_id" format:"uuid" doc:"On this site only."`
}

// PMCompliance is how much of what was due was done in time.
type PMCompliance struct {
	From             string   `json:"from" format:"date"`
	To               string   `json:"to" format:"date"`
	Rule             string   `json:"rule"`
	CompliancePct    *float64 `json:"pm_compliance_pct" unit:"percent" doc:"100 × done in time ÷ decided; null where nothing is decided. After SMRP 5.4.14; the rule window is ours."`
	Due              int      `json:"due" doc:"Due in the period, up to today: done, still to be done, missed and skipped."`
	Decided          int      `json:"decided" doc:"Of those, all but the open ones: it is decided whether they were done in time."`
	InTime           int      `json:"in_time" doc:"Done in time."`
	Late             int      `json:"late" doc:"Done, but not in time, or still to be done when the last day in time is over."`
	Open             int      `json:"open" doc:"Still to be done, and in time until the end of today at least."`
	Missed           int      `json:"missed" doc:"Not done before the next one."`
	Skipped          int      `json:"skipped" doc:"Skipped, or their work order cancelled."`
	Suppressed       int      `json:"suppressed" doc:"Included in larger work; not due."`
	OutOfService     int      `json:"out_of_service" doc:"Skipped because the target was out of service; not due."`
	Intervals        int      `json:"intervals" doc:"Done ones whose interval from the completion before is known."`
	IntervalsWithin  int      `json:"intervals_within_10_pct" doc:"Of those, where it differs from the planned interval by at most 10 % (SMRP 5.4.10)."`
	IntervalMeanDiff *float64 `json:"interval_variance_pct" unit:"percent" doc:"Mean of the differences, signed: positive is later."`
}

// Table is the figures as one row.
func (p PMCompliance) Table() transport.Table { return transport.TableOf([]PMCompliance{p}) }

// lastDaySQL is the last day on which an occurrence o is done in time, by rule; package maintenance has the same.
var lastDaySQL = map[string]string{
	"due_date": "o.due_on",
	"one_day":  "o.due_on + 1",
	"grace_20": "o.due_on + least(28, (o.interval_days * 2 + 5) / 10)",
	"window":   "o.window_to",
}

// isDue is that an occurrence counts as due.
const isDue = "(o.state IN ('generated', 'done', 'missed', 'skipped') AND NOT o.out_of_service)"

// complianceTerms are the conditions by which occurrences o are counted under a rule.
type complianceTerms struct{ inTime, late, open, decided string }

// termsOf gives those of a rule. What is still to be done is open until its last day in time is over, and late from then on.
func termsOf(rule string) complianceTerms {
	onTime := "o.done_on <= " + lastDaySQL[rule]
	if rule == "window" {
		onTime += " AND o.done_on >= coalesce(o.window_from, o.done_on)"
	}
	over := indicators.Today + " > " + lastDaySQL[rule]
	open := fmt.Sprintf("(o.state = 'generated' AND NOT o.out_of_service AND (%s) IS NOT TRUE)", over)
	return complianceTerms{
		inTime:  fmt.Sprintf("(o.state = 'done' AND %s)", onTime),
		late:    fmt.Sprintf("(o.state = 'done' AND NOT (%s) OR o.state = 'generated' AND NOT o.out_of_service AND %s)", onTime, over),
		open:    open,
		decided: fmt.Sprintf("(%s AND NOT %s)", isDue, open),
	}
}

// compliancePct is 100 × done in time ÷ decided.
func (c complianceTerms) compliancePct() string {
	return fmt.Sprintf("round(100.0 * count(*) FILTER (WHERE %s) / nullif(count(*) FILTER (WHERE %s), 0), 2)::float8", c.inTime, c.decided)
}

func (o orders) mountCompliance() {
	transport.Get(o.registry.API, transport.Operation{
		Path: "/v1/maintenance/pm-compliance", FromReplica: true, ID: "get_pm_compliance", Scope: maintenanceScope + ":read",
		Feature: maintenanceFeature, Summary: "Report how much preventive maintenance was done in time",
		Description: "Counts occurrences by the day " +
			"on which they were due. Missed and skipped ones are due; suppressed ones, and those skipped " +
			"because their target was out of service, are not. What is still to be done counts once its last day in time is over, and is late then.",
	}, o.compliance)
}

func (o orders) compliance(ctx context.Context, in ComplianceRequest) (PMCompliance, error) {
	found := PMCompliance{From: in.From, To: in.To, Rule: in.Rule}
	if in.From > in.To {
		var problems schema.Problems
		problems.Add("from", "must be to (%s) or earlier", in.To)
		return found, problems.Err()
	}
	terms := termsOf(in.Rule)
	err := o.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		batch.Queue(fmt.Sprintf(`SELECT count(*) FILTER (WHERE %s), count(*) FILTER (WHERE %s), count(*) FILTER (WHERE %s),
				count(*) FILTER (WHERE %s), count(*) FILTER (WHERE %s),
				count(*) FILTER (WHERE o.state = 'missed'), count(*) FILTER (WHERE o.state = 'skipped' AND NOT o.out_of_service),
				count(*) FILTER (WHERE o.state = 'suppressed'), count(*) FILTER (WHERE o.out_of_service),
				count(v.pct), count(*) FILTER (WHERE abs(v.pct) <= 10), round(avg(v.pct), 2)::float8, %s
			FROM pm_occurrence o LEFT JOIN LATERAL (
				SELECT 100.0 * (o.done_on - max(b.done_on) - o.interval_days) / o.interval_days AS pct FROM pm_occurrence b
				WHERE b.organization_id = o.organization_id AND b.plan_id = o.plan_id AND b.target_id = o.target_id AND b.done_on < o.done_on
					AND o.interval_days > 0 AND o.state = 'done') v ON true
			WHERE o.organization_id = current_organization() AND o.due_on BETWEEN $1::date AND least($2::date, %s)
				AND ($3::text IS NULL OR o.plan_id = $3::text::uuid) AND ($4::text IS NULL OR o.site_id = $4::text::uuid)`, isDue, terms.decided,
			terms.inTime, terms.late, terms.open, terms.compliancePct(), indicators.Today),
			in.From, in.To, in.PMPlanID, in.SiteID).QueryRow(func(row pgx.Row) error {
			return row.Scan(&found.Due, &found.Decided, &found.InTime, &found.Late, &found.Open, &found.Missed, &found.Skipped,
				&found.Suppressed, &found.OutOfService,
				&found.Intervals, &found.IntervalsWithin, &found.IntervalMeanDiff, &found.CompliancePct)
		})
	})
	return found, postgres.Fault(err, nil)
}
