package assets

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/placement"
	"ams.internal/libs/resource"
)

// Systems and assets are located by three references, from the general to the specific: site, building, system. The specific one
// fills the general ones. A general one that the caller sets to something else is a contradiction. One that the caller left
// unchanged while the specific one changed is replaced.

// location is the part of a change that locates its record. before is nil on create.
type location struct {
	site, building, system **string // of the record after the change; system is nil for a system itself
	before                 *references
	fieldError             func(field, format string, args ...any)
}

// references are those of a record before the change.
type references struct{ site, building, system *string }

// changed reports whether the change sets any of the references to another value.
func (l location) changed() bool {
	if l.before == nil {
		return *l.site != nil || *l.building != nil || l.system != nil && *l.system != nil
	}
	return !resource.Same(l.before.site, *l.site) || !resource.Same(l.before.building, *l.building) ||
		l.system != nil && !resource.Same(l.before.system, *l.system)
}

// parent has the references of a building or a system.
type parent struct{ site, building *string }

// resolveLocations resolves the references of all changes that change them, in one round trip.
func resolveLocations(ctx context.Context, tx pgx.Tx, locations []location) error {
	var buildings, systems []string
	for _, l := range locations {
		if !l.changed() {
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
	ofBuilding, ofSystem, err := lockParents(ctx, tx, buildings, systems)
	if err != nil {
		return err
	}
	for _, l := range locations {
		if l.changed() {
			l.resolve(ofBuilding, ofSystem)
		}
	}
	return nil
}

// lockParents reads the references of buildings and systems, and locks the rows until the transaction ends. A transaction that moves
// one of them waits, and then moves what was put into it meanwhile. Every transaction locks buildings before systems.
func lockParents(ctx context.Context, tx pgx.Tx, buildings, systems []string) (ofBuilding, ofSystem map[string]parent, err error) {
	ofBuilding, ofSystem = map[string]parent{}, map[string]parent{}
	collect := func(into map[string]parent) func(pgx.Rows) error {
		return func(rows pgx.Rows) error {
			var id string
			var at parent
			_, err := pgx.ForEachRow(rows, []any{&id, &at.site, &at.building}, func() error { into[id] = at; return nil })
			return err
		}
	}
	batch := &pgx.Batch{}
	batch.Queue(`SELECT id::text, site_id::text, NULL::text FROM building
		WHERE organization_id = current_organization() AND id = ANY($1::uuid[]) ORDER BY id FOR SHARE`, buildings).Query(collect(ofBuilding))
	batch.Queue(`SELECT id::text, site_id::text, building_id::text FROM system
		WHERE organization_id = current_organization() AND id = ANY($1::uuid[]) ORDER BY id FOR SHARE`, systems).Query(collect(ofSystem))
	return ofBuilding, ofSystem, tx.SendBatch(ctx, batch).Close()
}

func (l location) resolve(ofBuilding, ofSystem map[string]parent) {
	var before references
	if l.before != nil {
		before = *l.before
	}
	if l.system != nil && *l.system != nil {
		system := ofSystem[**l.system] // unknown ids were rejected before
		switch {
		case system.building != nil:
			l.fill("building_id", l.building, before.building, *system.building, "the system is in building "+*system.building)
		case system.site != nil && *l.building != nil && resource.Same(before.building, *l.building) &&
			!resource.Same(ofBuilding[**l.building].site, system.site):
			*l.building = nil // it is on the site that the asset has left
		}
		switch {
		case system.building != nil:
			l.fill("site_id", l.site, before.site, *system.site, "the system is on site "+*system.site)
			return
		case system.site != nil && *l.building != nil && !resource.Same(ofBuilding[**l.building].site, system.site):
			l.fieldError("building_id", "is on another site than the system; leave it out, or choose a building on site %s", *system.site)
			return
		case system.site != nil:
			l.fill("site_id", l.site, before.site, *system.site, "the system is on site "+*system.site)
		}
	}
	if *l.building != nil {
		if site := ofBuilding[**l.building].site; site != nil {
			l.fill("site_id", l.site, before.site, *site, "the building is on site "+*site)
		}
	}
}

// fill sets a general reference to what the specific one implies. What the caller has set to something else is a field error.
func (l location) fill(field string, reference **string, before *string, implied, why string) {
	if !(placement.Reference{Before: before, After: reference}).Fill(implied) {
		l.fieldError(field, "does not agree: %s; correct one of them or leave %s out", why, field)
	}
}

func locationOfSystem(c *resource.Change[System]) location {
	l := location{site: &c.After.SiteID, building: &c.After.BuildingID, fieldError: c.FieldError}
	if c.Before != nil {
		l.before = &references{site: c.Before.SiteID, building: c.Before.BuildingID}
	}
	return l
}

func locationOfAsset(c *resource.Change[Asset]) location {
	l := location{site: &c.After.SiteID, building: &c.After.BuildingID, system: &c.After.SystemID, fieldError: c.FieldError}
	if c.Before != nil {
		l.before = &references{site: c.Before.SiteID, building: c.Before.BuildingID, system: c.Before.SystemID}
	}
	return l
}
