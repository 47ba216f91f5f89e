package assets

import (
	"context"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/principal"
	"ams.internal/libs/timeevents"
)

// warrantyNotice is how many days before its end a warranty is announced to end, as text of SQL: time to have everything looked at that it
// still covers.
const warrantyNotice = "90"

// watch announces warranties that end and renewals that are due, of assets in use. A warranty that has ended is not ending any more, and a
// renewal is due in its year: years before it were announced, or were over when they were entered.
func (f family) watch(organizations func(ctx context.Context) ([]principal.Principal, error)) timeevents.Watch {
	inUse := " AND " + indicators.Counts("t")
	return timeevents.Watch{DB: f.registry.DB, Log: f.registry.Log, Registry: f.registry, Organizations: organizations,
		Types: []timeevents.Type{
			{Event: "asset.warranty_ending", Collection: "assets", Table: "asset", Day: "t.warranty_expires_on",
				From: "(t.warranty_expires_on - " + warrantyNotice + ")",
				When: "t.warranty_expires_on BETWEEN " + indicators.Today + " AND " + indicators.Today + " + " + warrantyNotice + inUse},
			{Event: "asset.renewal_due", Collection: "assets", Table: "asset", Day: "make_date(t.planned_renewal_year, 1, 1)",
				From: "make_date(t.planned_renewal_year, 1, 1)", When: "t.planned_renewal_year = " + thisYear + inUse},
		}}
}
