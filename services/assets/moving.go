package assets

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// Moving a building or a system moves what is inside, in the same transaction. Each system and asset that moves is a change of its
// own, with version, history and event.

// moveWithBuildings gives the systems and assets of buildings that changed their site the new site.
func (f family) moveWithBuildings(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Building]) error {
	moved := movedBuildings(changes)
	if moved == nil {
		return nil
	}
	// Systems come first: a transaction that puts an asset into one of them has it locked, and this one waits for it.
	for _, inside := range []struct{ collection, table string }{{"systems", "system"}, {"assets", "asset"}} {
		if err := f.registry.UpdateWhere(ctx, tx, inside.collection, []string{"site_id"}, `
			SELECT i.id, b.site_id FROM `+inside.table+` i JOIN building b ON b.organization_id = $1 AND b.id = i.building_id
			WHERE i.organization_id = $1 AND i.building_id = ANY($2::uuid[])`, moved); err != nil {
			return err
		}
	}
	return nil
}

func movedBuildings(changes []*resource.Change[Building]) []string {
	var moved []string
	for _, c := range changes {
		if c.Before != nil && c.After != nil && c.Before.SiteID != c.After.SiteID {
			moved = append(moved, c.ID())
		}
	}
	return moved
}

// rejectSplitSystems rejects moving a building off the site whose own systems its assets belong to. The assets would be on one site
// and their system on another.
func rejectSplitSystems(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Building]) error {
	moved := movedBuildings(changes)
	if moved == nil {
		return nil
	}
	rows, err := tx.Query(ctx, `
		SELECT a.building_id::text, count(*) FROM asset a JOIN system s ON s.organization_id = a.organization_id AND s.id = a.system_id
		WHERE a.organization_id = current_organization() AND a.building_id = ANY($1::uuid[]) AND s.building_id IS NULL AND s.site_id IS NOT NULL
		GROUP BY 1`, moved)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	var id string
	var count int
	if _, err := pgx.ForEachRow(rows, []any{&id, &count}, func() error { counts[id] = count; return nil }); err != nil {
		return err
	}
	for _, c := range changes {
		if count := counts[c.ID()]; count > 0 {
			conflict := fault.Conflict("assets_in_site_system", "site_id", c.After.SiteID,
				"The building has %d assets in systems of its present site; take them out of those systems before it moves to another site.", count)
			conflict.Dependents = map[string]int{"assets": count}
			c.Reject(conflict)
		}
	}
	return nil
}

// moveWithSystems moves the assets of moved systems. An asset keeps its building only while that is on the site of its system.
func (f family) moveWithSystems(ctx context.Context, tx pgx.Tx, changes []*resource.Change[System]) error {
	var moved []string
	for _, c := range changes {
		if c.Before != nil && c.After != nil &&
			(!resource.Same(c.Before.BuildingID, c.After.BuildingID) || !resource.Same(c.Before.SiteID, c.After.SiteID)) {
			moved = append(moved, c.ID())
		}
	}
	if moved == nil {
		return nil
	}
	return f.registry.UpdateWhere(ctx, tx, "assets", []string{"building_id", "site_id"}, `
		SELECT a.id,
			CASE WHEN s.building_id IS NOT NULL THEN s.building_id
				WHEN s.site_id <> a.site_id THEN NULL
				ELSE a.building_id END AS building_id,
			coalesce(s.site_id, a.site_id) AS site_id
		FROM asset a JOIN system s ON s.organization_id = $1 AND s.id = a.system_id
		WHERE a.organization_id = $1 AND a.system_id = ANY($2::uuid[])`, moved)
}
