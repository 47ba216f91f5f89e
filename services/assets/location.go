package main

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/placement"
	"ams.internal/libs/resource"
)

// Where systems and assets are. Three references say it, from the general to the specific: site, building, system.
// The specific fills the general. A general one that the caller sets against the specific is a contradiction; one
// that merely stayed behind when the specific moved follows it.

// location is the part of a change that says where its record is. before is nil on create.
type location struct {
	site, building, system **string // of the record after the change; system is nil for a system itself
	before                 *whereabouts
	fail                   func(field, format string, args ...any)
}

// whereabouts are the references of a record as it was.
type whereabouts struct{ site, building, system *string }

// moved says whether the change touches any of the references.
func (l location) moved() bool {
	if l.before == nil {
		return *l.site != nil || *l.building != nil || l.system != nil && *l.system != nil
	}
	return !resource.Same(l.before.site, *l.site) || !resource.Same(l.before.building, *l.building) || l.system != nil && !resource.Same(l.before.system, *l.system)
}

// placed is where a building or a system is.
type placed struct{ site, building *string }

// settle resolves the references of all changes that touch them, by one question.
func settle(ctx context.Context, tx pgx.Tx, locations []location) error {
	var buildings, systems []string
	for _, l := range locations {
		if !l.moved() {
			continue
		}
		if *l.building != nil {
			buildings = append(buildings, **l.building)
		}
		if l.system != nil && *l.system != nil {
			systems = append(systems, **l.system)
		}
	}
	if buildings == nil && systems == nil {
		return nil
	}
	ofBuilding, ofSystem, err := whereAre(ctx, tx, buildings, systems)
	if err != nil {
		return err
	}
	for _, l := range locations {
		if l.moved() {
			l.settle(ofBuilding, ofSystem)
		}
	}
	return nil
}

// whereAre reads where buildings and systems are, and holds them there until the transaction ends: whoever moves one
// waits, and then moves what was put into it meanwhile. Buildings are locked before systems by everybody.
func whereAre(ctx context.Context, tx pgx.Tx, buildings, systems []string) (ofBuilding, ofSystem map[string]placed, err error) {
	ofBuilding, ofSystem = map[string]placed{}, map[string]placed{}
	keep := func(into map[string]placed) func(pgx.Rows) error {
		return func(rows pgx.Rows) error {
			var id string
			var at placed
			_, err := pgx.ForEachRow(rows, []any{&id, &at.site, &at.building}, func() error { into[id] = at; return nil })
			return err
		}
	}
	batch := &pgx.Batch{}
	batch.Queue(`SELECT id::text, site_id::text, NULL::text FROM building
		WHERE organization_id = current_organization() AND id = ANY($1::uuid[]) ORDER BY id FOR SHARE`, buildings).Query(keep(ofBuilding))
	batch.Queue(`SELECT id::text, site_id::text, building_id::text FROM system
		WHERE organization_id = current_organization() AND id = ANY($1::uuid[]) ORDER BY id FOR SHARE`, systems).Query(keep(ofSystem))
	return ofBuilding, ofSystem, tx.SendBatch(ctx, batch).Close()
}

func (l location) settle(ofBuilding, ofSystem map[string]placed) {
	var before whereabouts
	if l.before != nil {
		before = *l.before
	}
	if l.system != nil && *l.system != nil {
		system := ofSystem[**l.system] // an id that nobody has was refused before
		switch {
		case system.building != nil:
			l.follow("building_id", l.building, before.building, *system.building, "the system is in building "+*system.building)
		case system.site != nil && *l.building != nil && resource.Same(before.building, *l.building) && !resource.Same(ofBuilding[**l.building].site, system.site):
			*l.building = nil // stayed behind on the site that the asset has left
		}
		switch {
		case system.building != nil:
			l.follow("site_id", l.site, before.site, *system.site, "the system is on site "+*system.site)
			return
		case system.site != nil && *l.building != nil && !resource.Same(ofBuilding[**l.building].site, system.site):
			l.fail("building_id", "is on another site than the system; leave it out, or choose a building on site %s", *system.site)
			return
		case system.site != nil:
			l.follow("site_id", l.site, before.site, *system.site, "the system is on site "+*system.site)
		}
	}
	if *l.building != nil {
		if site := ofBuilding[**l.building].site; site != nil {
			l.follow("site_id", l.site, before.site, *site, "the building is on site "+*site)
		}
	}
}

// follow sets a general reference to what the specific one implies, unless the caller has set it to something else.
func (l location) follow(field string, reference **string, before *string, implied, why string) {
	if !(placement.Reference{Before: before, After: reference}).Fill(implied) {
		l.fail(field, "does not agree: %s; correct one of them or leave %s out", why, field)
	}
}

func locationOfSystem(c *resource.Change[System]) location {
	l := location{site: &c.After.SiteID, building: &c.After.BuildingID, fail: c.FieldError}
	if c.Before != nil {
		l.before = &whereabouts{site: c.Before.SiteID, building: c.Before.BuildingID}
	}
	return l
}

func locationOfAsset(c *resource.Change[Asset]) location {
	l := location{site: &c.After.SiteID, building: &c.After.BuildingID, system: &c.After.SystemID, fail: c.FieldError}
	if c.Before != nil {
		l.before = &whereabouts{site: c.Before.SiteID, building: c.Before.BuildingID, system: c.Before.SystemID}
	}
	return l
}
