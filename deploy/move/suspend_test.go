package move

import (
	"errors"
	"strings"
	"testing"

	"ams.internal/libs/fault"
)

func TestASuspendedOrganizationIsNeitherReadNorWrittenUntilItIsResumed(t *testing.T) {
	c := newCells(t)
	suspended, stays := c.newCity("first"), c.newCity("first")
	var sites, others []string
	if err := errors.Join(suspended.write(0, &sites), stays.write(0, &others)); err != nil {
		t.Fatal(err)
	}
	first := c.all[0]
	for _, each := range c.all {
		if each.Name == "first" {
			first = each
		}
	}
	for range 2 { // run again, it stays so
		if err := Suspend(t.Context(), first, []string{suspended.id}); err != nil {
			t.Fatal(err)
		}
	}
	owner := c.connect(first.OwnerURL)
	for _, schema := range services {
		var state string
		err := owner.QueryRow(t.Context(), "SELECT state FROM "+schema+".organization_move WHERE organization = $1", suspended.id).Scan(&state)
		if err != nil || state != "suspended" {
			t.Errorf("%s says %q: %v", schema, state, err)
		}
	}
	for what, err := range map[string]error{"a write": suspended.write(1, &sites), "a read": suspended.read()} {
		if refusal := new(fault.Error); !errors.As(err, &refusal) || refusal.Status() != 403 || refusal.Code != "organization_suspended" {
			t.Errorf("%s was not refused: %v", what, err)
		}
	}
	if err := errors.Join(stays.write(1, &others), stays.read()); err != nil {
		t.Errorf("another organization was refused: %v", err)
	}
	taken := func() (events int) {
		const take = "SELECT count(*) FROM assets.outbox_take(1000, 10000000) WHERE organization_id = $1"
		if err := owner.QueryRow(t.Context(), take, suspended.id).Scan(&events); err != nil {
			t.Fatal(err)
		}
		return events
	}
	if events := taken(); events != 0 {
		t.Errorf("%d of its events are handed on", events)
	}
	if _, err := c.move("second", suspended.id).Run(t.Context()); !errors.Is(err, ErrSuspended) {
		t.Errorf("it moves: %v", err)
	}
	if _, err := c.move("first", suspended.id).Run(t.Context()); !errors.Is(err, ErrSuspended) {
		t.Errorf("a move to where it is ends its suspension: %v", err)
	}
	for range 2 {
		if err := Resume(t.Context(), first, []string{suspended.id}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(suspended.write(2, &sites), suspended.read()); err != nil {
		t.Errorf("it was resumed, and is refused: %v", err)
	}
	if taken() == 0 {
		t.Error("its events are not handed on again")
	}
}

func TestAnOrganizationOnTheMoveIsNotSuspended(t *testing.T) {
	c := newCells(t)
	moving := c.newCity("first")
	owner := c.connect(c.admin["first"])
	for _, state := range []string{"moving", "leaving", "reading", "absent"} {
		run(t, owner, "DELETE FROM assets.organization_move")
		run(t, owner, "INSERT INTO assets.organization_move (organization, state) VALUES ($1, $2)", moving.id, state)
		for what, err := range map[string]error{
			"suspended": Suspend(t.Context(), Cell{"first", c.admin["first"]}, []string{moving.id}),
			"resumed":   Resume(t.Context(), Cell{"first", c.admin["first"]}, []string{moving.id}),
		} {
			if err == nil || !strings.Contains(err.Error(), "a move of the organization has not ended (the cell first says "+state+")") {
				t.Errorf("%s, it is %s: %v", state, what, err)
			}
		}
	}
}
