package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/test/resilience/consistency"
)

// plansZone is the time zone of the plans.
const plansZone = "America/Toronto"

// makePlans makes assets, and plans for all of them that are due today, once in a year. None is active yet.
func (o *exactlyOnce) makePlans(ctx context.Context) error {
	client := o.organization.Client()
	for made := 0; made < o.targets; made += 500 {
		rows := make([]ams.Record, min(500, o.targets-made))
		for i := range rows {
			rows[i] = ams.Record{"name": fmt.Sprintf("Extincteur %d", made+i), "site_id": o.site}
		}
		var created struct{ Data []struct{ ID string } }
		if err := client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/assets/bulk", Body: ams.Record{"data": rows}},
			&created); err != nil {
			return err
		}
		for _, row := range created.Data {
			o.assets = append(o.assets, row.ID)
		}
	}
	targets := make([]ams.Record, len(o.assets))
	for i, id := range o.assets {
		targets[i] = ams.Record{"target_type": "asset", "target_id": id}
	}
	job, err := client.Collection("/v1/maintenance/job-plans").Create(ctx, ams.Record{"name": "Inspection", "type": "inspection"})
	if err != nil {
		return err
	}
	today, err := o.today()
	if err != nil {
		return err
	}
	for n := range o.plans {
		plan, err := client.Collection("/v1/maintenance/pm-plans").Create(ctx, ams.Record{"name": fmt.Sprintf("Inspection %d", n),
			"job_plan_id": (*job)["id"], "basis": "fixed", "starts_on": today, "time_zone": plansZone, "trigger": ams.Record{"rrule": "FREQ=YEARLY"},
			"targets": targets})
		if err != nil {
			return err
		}
		o.due = append(o.due, fmt.Sprint((*plan)["id"]))
	}
	return nil
}

func (o *exactlyOnce) today() (string, error) {
	zone, err := time.LoadLocation(plansZone)
	if err != nil {
		return "", err
	}
	return time.Now().In(zone).Format(time.DateOnly), nil
}

// fallDue makes plans active as they come, each until it is.
func (o *exactlyOnce) fallDue(ctx context.Context, plans <-chan string) error {
	for id := range plans {
		if err := o.organization.Client().Request(ctx, ams.Request{Method: http.MethodPatch, Path: "/v1/maintenance/pm-plans/" + id,
			Body: ams.Record{"status": "active"}}, nil); err != nil {
			return fmt.Errorf("make a plan active: %w", err)
		}
	}
	return nil
}

// occurrence is one as the API lists it.
type occurrence struct {
	ID          string `json:"id"`
	Occurrence  string `json:"occurrence"`
	TargetID    string `json:"target_id"`
	State       string `json:"state"`
	WorkOrderID string `json:"work_order_id"`
}

// compareOccurrences reads occurrences, work orders and events back: of each plan there is one occurrence on each target, which has one
// work order and one event, and there are no others.
func (o *exactlyOnce) compareOccurrences(ctx context.Context, db *pgx.Conn, found *onceReport, kills []kill) error {
	client := o.organization.Client()
	var named, served []string // ids of occurrences, and of their work orders
	for _, plan := range o.due {
		all, err := occurrencesOf(ctx, client, plan)
		if err != nil {
			return err
		}
		orders := map[string]ams.Record{}
		for order, err := range client.Collection("/v1/work-orders").Stream(ctx, ams.Filters{"pm_plan_id": plan}) {
			if err != nil {
				return err
			}
			orders[fmt.Sprint((*order)["id"])] = *order
		}
		targets := map[string]bool{}
		for _, each := range all {
			order := orders[each.WorkOrderID]
			if each.State != "generated" || order == nil || order["asset_id"] != each.TargetID || order["occurrence"] != each.Occurrence {
				found.Wrong = append(found.Wrong, fmt.Sprintf("the occurrence %+v has the work order %.300v", each, order))
			}
			targets[each.TargetID] = true
			named, served = append(named, each.ID), append(served, each.WorkOrderID)
		}
		found.count("occurrences of a plan", len(all), o.targets)
		found.count("targets with an occurrence of a plan", len(targets), o.targets)
		found.count("work orders of a plan", len(orders), o.targets)
		if err := countCuts(ctx, db, plan, kills, found); err != nil {
			return err
		}
	}
	found.Occurrences = len(named)
	found.count("work orders that serve an occurrence", unique(served), o.plans*o.targets)
	events, err := consistency.Feed(ctx, client, 0)
	if err != nil {
		return err
	}
	var sent []string
	for _, e := range events {
		if e.Type == "pm_occurrence.generated" {
			sent = append(sent, e.Data.Object.ID)
		}
	}
	slices.Sort(named)
	if slices.Sort(sent); !slices.Equal(sent, named) {
		found.Wrong = append(found.Wrong, fmt.Sprintf("%d events of %d occurrences tell of %d", len(sent), unique(sent), len(named)))
	}
	return nil
}

func occurrencesOf(ctx context.Context, client *ams.Client, plan string) (all []occurrence, err error) {
	for page := 1; ; page++ {
		var list struct {
			Data       []occurrence `json:"data"`
			Pagination struct {
				TotalPages int `json:"total_pages"`
			} `json:"pagination"`
		}
		if err := client.Request(ctx, ams.Request{Path: "/v1/maintenance/pm-plans/" + plan + "/occurrences",
			Query: url.Values{"per_page": {"1000"}, "page": {strconv.Itoa(page)}}}, &list); err != nil {
			return nil, err
		}
		all = append(all, list.Data...)
		if page >= list.Pagination.TotalPages {
			return all, nil
		}
	}
}

// countCuts adds the kills that came between the first and the last occurrence of a plan.
func countCuts(ctx context.Context, db *pgx.Conn, plan string, kills []kill, found *onceReport) error {
	var first, last time.Time
	err := db.QueryRow(ctx, "SELECT min(created_at), max(created_at) FROM workorders.pm_occurrence "+
		"WHERE plan_id = $1::uuid HAVING count(*) > 0", plan).Scan(&first, &last)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // which is reported as what is missing
	}
	for _, k := range kills {
		if k.at.After(first) && k.at.Before(last) {
			found.Cut++
		}
	}
	return err
}
