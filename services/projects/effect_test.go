package projects

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
	"ams.internal/libs/testwait"
)

// owners speaks for the services whose records are changed by effects.
type owners struct {
	mu     sync.Mutex
	away   bool
	refuse *fault.Error
	told   []effects.Instruction // in their order, without checks
}

func newOwners() *owners { return &owners{} }

// ServeHTTP implements http.Handler.
func (o *owners) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Check   bool                  `json:"check"`
		Effects []effects.Instruction `json:"effects"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		panic(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.away {
		panic(http.ErrAbortHandler)
	}
	answers := []effects.Result{}
	for _, one := range in.Effects {
		answer := effects.Result{ID: one.ID, Sequence: one.Sequence, Stage: one.Stage, Outcome: effects.Applied}
		if o.refuse != nil {
			answer.Outcome, answer.Reason, answer.Code, answer.Message = effects.Refused, o.refuse.Kind, o.refuse.Code, o.refuse.Message
		} else if !in.Check {
			o.told = append(o.told, one)
		}
		answers = append(answers, answer)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"answers": answers})
}

func (o *owners) stages() (stages []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, in := range o.told {
		stages = append(stages, string(in.Stage))
	}
	return stages
}

func TestEffectsFollowAProject(t *testing.T) {
	f, deficiency := newFixtureAlone(t), uuid.NewString()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	sender := effects.NewSender("projects", f.family.registry.DB, f.peers.References, f.family.registry.Log, f.family.effects().Record)
	go func() {
		defer close(ended)
		sender.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	path := f.project(t, fields{"budget_amount": 10000, "actual_amount": 9876.5, "effects": []any{
		fields{"kind": "close_deficiency", "payload": fields{"deficiency_id": deficiency}}}})
	become := func(state string) {
		t.Helper()
		testwait.For(t, time.Minute, "the effect to be "+state, func() bool {
			listed, _ := f.List(t, path+"/effects")
			return len(listed) == 1 && listed[0]["state"] == state
		})
	}
	for _, status := range []string{"approved", "on_hold", "in_progress"} {
		f.Must(t, http.StatusOK, "PATCH", path, fields{"status": status})
		become("planned")
	}
	testwait.For(t, time.Minute, "the deficiency to be told that its project has begun", func() bool { return len(f.owners.stages()) == 2 })
	f.owners.mu.Lock()
	f.owners.away = true
	f.owners.mu.Unlock()
	f.Must(t, http.StatusServiceUnavailable, "PATCH", path, fields{"status": "completed"})
	f.owners.mu.Lock()
	f.owners.away, f.owners.refuse = false, fault.Conflict("deficiency_void", "deficiency_id", deficiency, "The deficiency is void.")
	f.owners.mu.Unlock()
	if answer := f.Must(t, http.StatusConflict, "PATCH", path, fields{"status": "completed"}); answer.JSON["code"] != "effect_refused" {
		t.Errorf("answered %s", answer.Body)
	}
	f.owners.mu.Lock()
	f.owners.refuse = nil
	f.owners.mu.Unlock()
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "completed", "actual_end_date": "2026-09-03"})
	become("applied")
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "in_progress"})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "completed"})
	become("applied")
	if got := f.owners.stages(); !slices.Equal(got, []string{"planned", "begun", "completed"}) {
		t.Errorf("the deficiency was told %v", got)
	}
	if last := f.owners.told[2]; last.On != "2026-09-03" || last.Cause.Cost != "9876.50" || last.Cause.Collection != "projects" {
		t.Errorf("completed by %+v", last)
	}
	other := f.project(t, fields{})
	made := f.Create(t, other+"/effects", fields{"kind": "replace", "payload": fields{"asset_id": f.asset}})
	action := fmt.Sprintf("%s/effects/%s/", other, made["id"])
	f.Must(t, http.StatusOK, "POST", action+"withdraw", nil)
	f.Must(t, http.StatusConflict, "POST", action+"withdraw", nil)
	if got := f.Must(t, http.StatusOK, "POST", action+"retry", nil).JSON; got["state"] != "planned" {
		t.Errorf("tried again, it is %v", got)
	}
	f.Other().Must(t, http.StatusNotFound, "POST", action+"withdraw", nil)
}
