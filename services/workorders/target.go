package workorders

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/domain/placement"
	"ams.internal/libs/fault"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
)

// WorkOrderTarget is one of the things that a work order is for. A work order without targets is for what its own asset_id, segment_id,
// system_id, building_id or site_id names; the place of one with targets follows from them.
type WorkOrderTarget struct {
	resource.Record
	WorkOrderID string  `json:"work_order_id" readOnly:"true" references:"work_orders" doc:"The work order." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	TargetType  string  `json:"target_type" required:"true" enum:"asset,system,building,site,segment" filter:"equals" sort:"true" doc:"What target_id is of. A segment needs the feature Infrastructure." example:"asset"`
	TargetID    string  `json:"target_id" required:"true" references:"@target_type" unique:"work_order_id" filter:"equals" doc:"What is worked on; a work order has it once." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Position    *int    `json:"position" column:"target_position" minimum:"1" maximum:"1000000" filter:"range" sort:"true" doc:"Place among the targets of the work order, from 1; behind the last when left out. sort=position lists them in this order." example:"2"`
	Result      *string `json:"result" enum:"done,not_done,na" filter:"equals" sort:"true" doc:"Whether it was done here; na where it does not apply, null until somebody says." example:"done"`
	Note        *string `json:"note" maxLength:"5000" doc:"What was found here." example:"Porte verrouillée, à revoir"`
	Share       float64 `json:"share" default:"1" minimum:"0.000001" maximum:"100000000" decimals:"6" filter:"range" sort:"true" doc:"Its part of the work order's cost, beside the shares of the others: a length, an area, a number of things." example:"120"`

	SiteID     *string `json:"site_id" readOnly:"true" references:"sites" filter:"equals" doc:"The site that it is, or was on when it was named."`
	BuildingID *string `json:"building_id" readOnly:"true" references:"buildings" filter:"equals" doc:"The building that it is, or was in."`
	SystemID   *string `json:"system_id" readOnly:"true" references:"systems" filter:"equals" doc:"The system that it is, or was part of."`
	AssetID    *string `json:"asset_id" readOnly:"true" references:"assets" filter:"equals" doc:"The asset that it is."`
	SegmentID  *string `json:"segment_id" readOnly:"true" references:"segments" filter:"equals" doc:"The segment that it is."`
}

// maxTargets is how many targets a work order has at most.
const maxTargets = 500

func (o orders) targets() resource.Definition[WorkOrderTarget] {
	return resource.Definition[WorkOrderTarget]{
		Collection: "work_order_targets", Table: "work_order_target", Parent: "work_order_id", Label: "target_type",
		Active: `EXISTS (SELECT FROM work_order w WHERE w.organization_id = t.organization_id AND w.id = t.work_order_id
			AND w.status IN ('open', 'in_progress', 'on_hold'))`,
		Resolve: func(changes []*resource.Change[WorkOrderTarget], found *resource.Found) error {
			for _, c := range changes {
				entry, _ := found.Entry(collectionOf(c.After.TargetType), c.After.TargetID)
				c.After.locate(entry)
			}
			return nil
		},
		BeforeWrite: o.prepareTargets,
		AfterWrite:  o.placeOrders,
	}
}

// collectionOf is the collection that the records of a type of target are in.
func collectionOf(targetType string) string {
	row, _ := catalogue.Product().FindSingular(targetType)
	return row.Name
}

// places are the fields of a work order and of a target that say where it is.
var places = placement.Fields

// place gives the place fields of a target, in the order of places.
func (t *WorkOrderTarget) place() []**string {
	return []**string{&t.SiteID, &t.BuildingID, &t.SystemID, &t.AssetID, &t.SegmentID}
}

// locate sets where the target is: what its owner says of it, and itself.
func (t *WorkOrderTarget) locate(entry reference.Entry) {
	for i, at := range t.place() {
		*at = nil
		if id := entry.References[places[i]]; id != "" {
			*at = &id
		}
		if places[i] == t.TargetType+"_id" {
			id := t.TargetID
			*at = &id
		}
	}
}

func targetOf(t *WorkOrderTarget) string { return t.WorkOrderID }

// prepareTargets gives new targets their places in the order, and keeps a work order from having too many. Before the first target of a
// work order, what its asset_id and segment_id name becomes a target: it is worked on as well.
func (o orders) prepareTargets(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrderTarget]) error {
	orders, err := lockOrders(ctx, tx, "FOR NO KEY UPDATE", changes, targetOf)
	if err != nil {
		return err
	}
	last, count, err := o.keepNamed(ctx, tx, orders, changes)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		order := c.After.WorkOrderID
		if c.Before == nil {
			if count[order]++; count[order] > maxTargets {
				c.Reject(fault.Conflict("too_many_targets", "target_id", c.After.TargetID,
					"A work order has at most %d targets. Make another work order for the others.", maxTargets))
			}
		}
		if c.After.Position == nil {
			last[order]++
			place := last[order]
			c.After.Position = &place
		} else {
			last[order] = max(last[order], *c.After.Position)
		}
	}
	return nil
}

// keepNamed makes targets of what work orders without targets name, where the changes add targets, and gives the last position and the
// number of targets of each work order.
func (o orders) keepNamed(ctx context.Context, tx pgx.Tx, ids []string,
	changes []*resource.Change[WorkOrderTarget]) (last, count map[string]int, err error) {
	last, count = map[string]int{}, map[string]int{}
	adding := map[string][]string{} // ids of new targets by work order
	for _, c := range changes {
		if c.Before == nil {
			adding[c.After.WorkOrderID] = append(adding[c.After.WorkOrderID], c.After.TargetID)
		}
	}
	rows, err := tx.Query(ctx, `SELECT w.id::text, w.site_id::text, w.building_id::text, w.system_id::text, w.asset_id::text,
		w.segment_id::text, count(t.id), coalesce(max(t.target_position), 0)
		FROM work_order w LEFT JOIN work_order_target t ON t.organization_id = w.organization_id AND t.work_order_id = w.id
		WHERE w.organization_id = current_organization() AND w.id = ANY($1::uuid[]) GROUP BY w.organization_id, w.id`, ids)
	if err != nil {
		return nil, nil, err
	}
	var id string
	var at [5]*string
	var targets, position int
	var named []*WorkOrderTarget
	scanned := []any{&id, &at[0], &at[1], &at[2], &at[3], &at[4], &targets, &position}
	if _, err := pgx.ForEachRow(rows, scanned, func() error {
		last[id], count[id] = position, targets
		if targets > 0 || adding[id] == nil {
			return nil
		}
		for _, kind := range []string{"asset", "segment"} {
			of := at[slices.Index(places, kind+"_id")]
			if of == nil || slices.Contains(adding[id], *of) {
				continue
			}
			last[id]++
			count[id]++
			named = append(named, o.namedTarget(id, kind, *of, at, last[id]))
		}
		return nil
	}); err != nil {
		return nil, nil, err
	}
	return last, count, resource.Insert(ctx, tx, o.registry, "work_order_targets", named)
}

// namedTarget is the target that a work order names by its own field.
func (o orders) namedTarget(order, kind, id string, at [5]*string, position int) *WorkOrderTarget {
	target := resource.New[WorkOrderTarget](o.registry, "work_order_targets")
	target.WorkOrderID, target.TargetType, target.TargetID, target.Position = order, kind, id, &position
	for i, field := range target.place() {
		if other := places[i] == "segment_id" && kind == "asset" || places[i] != "segment_id" && places[i] != "site_id" &&
			kind == "segment"; !other {
			*field = at[i]
		}
	}
	return target
}

// placeOrders sets where work orders are by their targets: what all of them agree on. One whose last target was deleted stays where it is.
func (o orders) placeOrders(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrderTarget]) error {
	var ids []string
	for _, c := range changes {
		ids = append(ids, targetOf(recordOf(c)))
	}
	agreed := ""
	for _, field := range places {
		agreed += ", CASE WHEN count(" + field + ") = count(*) AND count(DISTINCT " + field + ") = 1 THEN (array_agg(" + field +
			"))[1] END AS " + field
	}
	return o.registry.UpdateWhere(ctx, tx, "work_orders", places, "SELECT work_order_id AS id"+agreed+
		" FROM work_order_target WHERE organization_id = $1 AND work_order_id = ANY($2::uuid[]) GROUP BY work_order_id", ids)
}
