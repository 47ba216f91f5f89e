package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

// refusedForNow tries what needs a service that is away: 503 within a second, which says what to do.
func (r *run) refusedForNow(ctx context.Context, what string, c load.Call) {
	for gateway := range r.balancer.Gateways {
		begin := time.Now()
		a := r.balancer.At(ctx, gateway, c)
		took := time.Since(begin)
		r.promise(a.Err == nil && a.Status == http.StatusServiceUnavailable && a.Code() == "service_unavailable" &&
			a.Header.Get("Retry-After") != "" && strings.Contains(strings.ToLower(string(a.Body)), "try again in a moment"),
			"%s is answered %d %v: %.300s", what, a.Status, a.Err, a.Body)
		r.bound(took < time.Second, "%s was refused after %s; it may take 1 s", what, took)
	}
}

// goesOn does what needs nothing of the service that is away.
func (r *run) goesOn(ctx context.Context, what string, c load.Call) {
	a := r.balancer.Do(ctx, c)
	r.promise(a.Err == nil && a.Status < 300, "%s is answered %d %v: %.300s", what, a.Status, a.Err, a.Body)
}

// strangersSeeTheOutage at links and at Open311, and so does whoever completes work that closes a request.
func strangersSeeTheOutage(ctx context.Context, r *run) error {
	const nobodys = "aaaaaaaaaaaaaaaaaaaaaaaaaa"
	r.refusedForNow(ctx, "the page of a link", load.Call{Method: http.MethodGet, Path: "/r/" + nobodys})
	r.refusedForNow(ctx, "what a stranger sends", load.Call{Method: http.MethodPost, Path: "/public/links/" + nobodys,
		Body: map[string]any{"description": "Bris"}})
	r.refusedForNow(ctx, "Open311", load.Call{Method: http.MethodGet, Path: "/open311/v2/discovery.json"})
	request, err := r.recordOf("/v1/requests")
	if err != nil {
		return err
	}
	key, title := r.organizations[0].Key(), load.Text()
	effects := []any{map[string]any{"kind": "close_request", "payload": map[string]any{"request_id": request}}}
	r.refusedForNow(ctx, "work that closes a request", load.Call{Method: http.MethodPost, Path: "/v1/work-orders", Key: key,
		Body: map[string]any{"title": title, "effects": effects}})
	r.goesOn(ctx, "other work",
		load.Call{Method: http.MethodPost, Path: "/v1/work-orders", Key: key, Body: map[string]any{"title": title + " too"}})
	found := r.balancer.Do(ctx, load.Call{Method: http.MethodGet, Path: "/v1/work-orders?sort=-created_at&per_page=100", Key: key})
	r.promise(found.Status == http.StatusOK && !strings.Contains(string(found.Body), fmt.Sprintf("%q", title)),
		"the refused work order is there: %d", found.Status)
	text, err := r.tool(ctx, "list_findings", map[string]any{"kind": "request"})
	r.promise(strings.Contains(text, toolUnavailable), "the assistant was told %.300q, and not %q", text, toolUnavailable)
	return err
}

// plansByMetersWait: they are kept and forecast no steps; all other plans go on.
func plansByMetersWait(ctx context.Context, r *run) error {
	key := r.organizations[0].Key()
	asset, err := r.recordOf("/v1/assets")
	if err != nil {
		return err
	}
	r.refusedForNow(ctx, "a reading",
		load.Call{Method: http.MethodPost, Path: "/v1/meters/readings/bulk", Key: key, Body: map[string]any{"data": []any{
			map[string]any{"meter_id": asset, "read_at": "2026-01-01T00:00:00Z", "value": 1}}}})
	job := r.balancer.Do(ctx, load.Call{Method: http.MethodPost, Path: "/v1/maintenance/job-plans", Key: key,
		Body: map[string]any{"name": load.Text(), "type": "inspection"}})
	id, _, err := load.Written(job.Body)
	if err != nil {
		return fmt.Errorf("a job plan: %d %.300s: %w", job.Status, job.Body, err)
	}
	r.goesOn(ctx, "a plan by dates", load.Call{Method: http.MethodPost, Path: "/v1/maintenance/pm-plans", Key: key, Body: map[string]any{
		"name": load.Text(), "job_plan_id": id, "basis": "fixed", "starts_on": "2026-01-01", "status": "active",
		"trigger": map[string]any{"rrule": "FREQ=YEARLY"}, "targets": []any{map[string]any{"target_type": "asset", "target_id": asset}}}})
	return nil
}

// formsAreNotNamed: what names a form is refused, what names none goes on.
func formsAreNotNamed(ctx context.Context, r *run) error {
	form, err := r.recordOf("/v1/forms/templates")
	if err != nil {
		return err
	}
	key := r.organizations[0].Key()
	r.refusedForNow(ctx, "a job plan with a form", load.Call{Method: http.MethodPost, Path: "/v1/maintenance/job-plans", Key: key,
		Body: map[string]any{"name": load.Text(), "type": "inspection", "form_template_id": form}})
	r.goesOn(ctx, "a job plan without one", load.Call{Method: http.MethodPost, Path: "/v1/maintenance/job-plans", Key: key,
		Body: map[string]any{"name": load.Text(), "type": "inspection"}})
	return nil
}

// recordOf gives the id of a record of the first organization's.
func (r *run) recordOf(path string) (string, error) {
	for _, record := range r.organizations[0].Records() {
		if load.Collections[record.Collection].Path == path {
			return record.ID, nil
		}
	}
	return "", fmt.Errorf("there is no record of %s", path)
}
