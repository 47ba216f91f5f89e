package assets

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
)

// Deficiency is something found wrong with a site, a building, a system or an asset. What correcting those that count costs is the record's
// deferred maintenance.
type Deficiency struct {
	resource.Record
	SiteID     *string `json:"site_id" references:"sites" doc:"The site that it is of; one of site_id, building_id, system_id and asset_id is required. As a filter: with everything on the site." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	BuildingID *string `json:"building_id" references:"buildings" doc:"The building that it is of. As a filter: with everything in the building." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	SystemID   *string `json:"system_id" references:"systems" doc:"The system that it is of. As a filter: with the system's assets." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	AssetID    *string `json:"asset_id" references:"assets" filter:"equals" doc:"The asset that it is of." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	deficiencies.Finding
}

func (f family) deficiencies() resource.Definition[Deficiency] {
	return resource.Definition[Deficiency]{
		Collection: "deficiencies", Table: "deficiency", NaturalKey: "number", Label: "title", Category: "category",
		Computed: map[string]string{"currency": resource.Currency},
		Totals: &resource.Totals{Doc: resource.TotalsDoc, Join: placesOfDeficiencies, Sums: []resource.Sum{
			{Name: "estimated_cost", SQL: "t.estimated_cost", Doc: "Of those that have one, each in prices of its cost_year."},
		}, Groups: []string{"status", "priority", "category", "source", "action_year", "site_id", "building_id", "system_id"},
			GroupedBy: map[string]string{"site_id": "p.id", "building_id": "b.id", "system_id": "s.id"}},
		Filters: map[string]resource.Filter{
			"site_id": placeFilter("The site, with everything on it. Several ids with commas between them.",
				"t.site_id = ANY($2) OR t.building_id IN (SELECT i.id FROM building i WHERE i.organization_id = $1 AND i.site_id = ANY($2))"+
					" OR t.system_id IN (SELECT i.id FROM system i WHERE i.organization_id = $1 AND i.site_id = ANY($2))"+
					" OR t.asset_id IN (SELECT i.id FROM asset i WHERE i.organization_id = $1 AND i.site_id = ANY($2))"),
			"building_id": placeFilter("The building, with everything in it. Several ids with commas between them.",
				"t.building_id = ANY($2) OR t.system_id IN (SELECT i.id FROM system i WHERE i.organization_id = $1 AND i.building_id = ANY($2))"+
					" OR t.asset_id IN (SELECT i.id FROM asset i WHERE i.organization_id = $1 AND i.building_id = ANY($2))"),
			"system_id": placeFilter("The system, with its assets. Several ids with commas between them.",
				"t.system_id = ANY($2) OR t.asset_id IN (SELECT i.id FROM asset i WHERE i.organization_id = $1 AND i.system_id = ANY($2))"),
		},
		Transitions: resource.Transitions{Field: "status", Ended: deficiencies.Ended, From: deficiencies.Moves, With: deficiencies.MovesWith},
		BeforeWrite: prepareDeficiencies,
		Events:      map[string]resource.Emits[Deficiency]{"deficiency.corrected": resource.When(corrected)},
	}
}

// placesOfDeficiencies give where a deficiency is, whatever record it is of, as the report has it: its asset a, system s, building b and
// site p.
const placesOfDeficiencies = `LEFT JOIN asset a ON a.organization_id = t.organization_id AND a.id = t.asset_id
	LEFT JOIN system s ON s.organization_id = t.organization_id AND s.id = coalesce(t.system_id, a.system_id)
	LEFT JOIN building b ON b.organization_id = t.organization_id
		AND b.id = coalesce(t.building_id, a.building_id, CASE WHEN a.id IS NULL THEN s.building_id END)
	LEFT JOIN site p ON p.organization_id = t.organization_id
		AND p.id = coalesce(t.site_id, a.site_id, b.site_id, CASE WHEN a.id IS NULL THEN s.site_id END)`

// placeFilter finds what is of a record or inside of it; condition takes $2, the ids.
func placeFilter(doc, condition string) resource.Filter {
	return resource.Filter{Kind: schema.Text, Doc: doc, Where: func(text string) (string, []any, error) {
		ids := strings.Split(strings.ToLower(text), ",")
		for i, id := range ids {
			if ids[i] = strings.TrimSpace(id); !schema.IsUUID(ids[i]) {
				return "", nil, errors.New("must be an id, or several with commas between them")
			}
		}
		return "(" + strings.ReplaceAll(condition, "ANY($2)", "ANY($2::uuid[])") + ")", []any{ids}, nil
	}}
}

// corrected reports whether the change says that the deficiency is corrected.
func corrected(c *resource.Change[Deficiency]) bool {
	return c.After != nil && c.After.Status == "corrected" && (c.Before == nil || c.Before.Status != "corrected")
}

func prepareDeficiencies(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Deficiency]) error {
	for _, c := range changes {
		if c.After == nil {
			rejectDelete(c)
			continue
		}
		var before *deficiencies.Finding
		if c.Before != nil {
			before = &c.Before.Finding
		}
		c.After.Finding.Check(before, c.Sets, resource.Today(ctx), c.FieldError)
		c.After.checkPlace(c.Before, c.FieldError)
	}
	return lockDeficient(ctx, tx, changes)
}

// rejectDelete allows deleting what was entered by mistake: what is open, and what nobody has begun to plan.
func rejectDelete(c *resource.Change[Deficiency]) {
	switch d := c.Before; {
	case d.Status != "open":
		way := "it stays on record"
		if slices.Contains(deficiencies.Moves[d.Status], "void") {
			way = "make it void instead"
		}
		c.Reject(fault.Conflict("delete_not_allowed", "status", d.Status, "The deficiency is %s. Only open ones can be deleted; %s.",
			d.Status, way))
	case d.WorkOrderID != nil:
		c.Reject(fault.StillInUse("work_order_id", *d.WorkOrderID, map[string]int{"work_orders": 1},
			"The deficiency is named by a work order; withdraw it there first."))
	case d.ProjectID != nil:
		c.Reject(fault.StillInUse("project_id", *d.ProjectID, map[string]int{"projects": 1},
			"The deficiency is named by a project; withdraw it there first."))
	}
}

// places are the records that a deficiency may be of, by the field that names one.
var places = []struct {
	field, table string
	of           func(d *Deficiency) **string
}{
	{"site_id", "site", func(d *Deficiency) **string { return &d.SiteID }},
	{"building_id", "building", func(d *Deficiency) **string { return &d.BuildingID }},
	{"system_id", "system", func(d *Deficiency) **string { return &d.SystemID }},
	{"asset_id", "asset", func(d *Deficiency) **string { return &d.AssetID }},
}

// checkPlace makes sure that the deficiency is of one record. One that is moved leaves what it was of.
func (d *Deficiency) checkPlace(before *Deficiency, fieldError func(field, format string, args ...any)) {
	var named, moved []string
	for _, p := range places {
		if id := *p.of(d); id != nil {
			named = append(named, p.field)
			if before != nil && !resource.Same(*p.of(before), id) {
				moved = append(moved, p.field)
			}
		}
	}
	if len(named) == 2 && len(moved) == 1 {
		for _, p := range places {
			if p.field != moved[0] {
				*p.of(d) = nil
			}
		}
		return
	}
	switch len(named) {
	case 1:
	case 0:
		fieldError("asset_id", "is required, or one of site_id, building_id and system_id: the record that the deficiency is of")
	default:
		fieldError(named[1], "must be left out: a deficiency is of one record, and %s is given", named[0])
	}
}

// lockDeficient lets other transactions that write deficiencies of one of these records wait, so that all of them are added up. Every
// transaction locks in this order.
func lockDeficient(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Deficiency]) error {
	batch := &pgx.Batch{}
	for _, p := range places {
		var ids []string
		for _, c := range changes {
			for _, d := range []*Deficiency{c.Before, c.After} {
				if d != nil && *p.of(d) != nil {
					ids = append(ids, **p.of(d))
				}
			}
		}
		if slices.Sort(ids); ids != nil {
			batch.Queue("SELECT FROM "+p.table+" WHERE organization_id = current_organization() "+
				"AND id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE", slices.Compact(ids))
		}
	}
	if batch.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, batch).Close()
}
