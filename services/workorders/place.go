package workorders

import (
	"ams.internal/libs/domain/placement"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
)

// resolveReferences completes where work orders are, and checks who does them. The specific reference fills the general ones: an asset
// its system, building and site, a system its building and site, a building its site, a segment its site. A general one that the
// caller sets to something else is a contradiction. One that the caller left unchanged while the specific one changed is replaced.
func resolveReferences(changes []*resource.Change[WorkOrder], found *resource.Found) error {
	for _, c := range changes {
		before := &WorkOrder{}
		if c.Before != nil {
			before = c.Before
		}
		checkAssignee(c, before, found)
		checkTeam(c, before, found)
		place{c, before, found, map[string]implication{}}.resolve()
	}
	return nil
}

// checkAssignee allows active users only as a new assignee. An assignee who was suspended later may stay.
func checkAssignee(c *resource.Change[WorkOrder], before *WorkOrder, found *resource.Found) {
	if c.After.AssigneeID == nil || resource.Same(before.AssigneeID, c.After.AssigneeID) {
		return
	}
	user, _ := found.Entry("users", *c.After.AssigneeID)
	if user.Status != nil && *user.Status != "active" {
		c.FieldError("assignee_id", "must be an active user; %s is %s", user.Name, *user.Status)
	}
}

// checkTeam allows active teams only as a new team.
func checkTeam(c *resource.Change[WorkOrder], before *WorkOrder, found *resource.Found) {
	if c.After.TeamID == nil || resource.Same(before.TeamID, c.After.TeamID) {
		return
	}
	team, _ := found.Entry("teams", *c.After.TeamID)
	if team.Status != nil && *team.Status != "active" {
		c.FieldError("team_id", "must be an active team; %s is %s", team.Name, *team.Status)
	}
}

// place resolves the references of one change that locate its work order.
type place struct {
	change  *resource.Change[WorkOrder]
	before  *WorkOrder
	found   *resource.Found
	implied map[string]implication // by field; of the most specific reference that implies one
}

// implication is the id that a more specific reference implies, and the name of that reference.
type implication struct{ id, by string }

// general is a reference that more specific ones fill.
type general struct {
	collection, singular string
	of                   func(*WorkOrder) **string
}

var (
	system   = general{"systems", "system", func(w *WorkOrder) **string { return &w.SystemID }}
	building = general{"buildings", "building", func(w *WorkOrder) **string { return &w.BuildingID }}
	site     = general{"sites", "site", func(w *WorkOrder) **string { return &w.SiteID }}
)

func (p place) resolve() {
	before, after := p.before, p.change.After
	if resource.Same(before.AssetID, after.AssetID) && resource.Same(before.SegmentID, after.SegmentID) &&
		resource.Same(before.SystemID, after.SystemID) &&
		resource.Same(before.BuildingID, after.BuildingID) && resource.Same(before.SiteID, after.SiteID) {
		return // the change does not move the work order, which stays where it was when it was last moved
	}
	p.infer("asset", p.entry("assets", after.AssetID))
	if p.fill(system) && p.fill(building) && p.inferFromSegment() {
		p.fill(site)
	}
}

func (p place) entry(collection string, id *string) reference.Entry {
	if id == nil {
		return reference.Entry{}
	}
	entry, _ := p.found.Entry(collection, *id) // unknown ids were rejected before
	return entry
}

// infer adds the references of a record to those that are implied, except where a more specific record implies one already.
func (p place) infer(by string, entry reference.Entry) {
	for _, field := range []string{"system_id", "building_id", "site_id"} {
		if id := entry.References[field]; id != "" && p.implied[field].id == "" {
			p.implied[field] = implication{id, by}
		}
	}
}

// fill sets a general reference to what more specific ones imply. It reports false after a contradiction, which is a field error.
func (p place) fill(g general) bool {
	field, value := g.singular+"_id", g.of(p.change.After)
	reference := placement.Reference{Before: *g.of(p.before), After: value}
	if s := p.implied[field]; s.id != "" {
		if !reference.Fill(s.id) {
			p.change.FieldError(field, "does not agree: the %s is in %s %s; correct one of them or leave %s out", s.by, g.singular, s.id, field)
			return false
		}
		return true
	}
	entry := p.entry(g.collection, *value)
	for parent, id := range entry.References {
		s := p.implied[parent]
		if s.id == "" || s.id == id {
			continue
		}
		if !reference.Stayed() {
			p.change.FieldError(field, "does not agree: %s of the %s is %s, of this %s it is %s; correct one of them or leave %s out",
				parent, s.by, s.id, g.singular, id, field)
			return false
		}
		reference.Clear() // it is where the work order was before
		return true
	}
	p.infer(g.singular, entry)
	return true
}

// inferFromSegment takes the site of the segment, unless the asset, the system or the building implies another one.
func (p place) inferFromSegment() bool {
	entry := p.entry("segments", p.change.After.SegmentID)
	on, s := entry.References["site_id"], p.implied["site_id"]
	if on == "" || s.id == "" || s.id == on {
		p.infer("segment", reference.Entry{References: map[string]string{"site_id": on}})
		return true
	}
	field := "segment_id"
	if resource.Same(p.before.SegmentID, p.change.After.SegmentID) {
		field = s.by + "_id"
	}
	p.change.FieldError(field, "does not agree: the segment is on site %s, the %s on site %s; correct one of them or leave one out",
		on, s.by, s.id)
	return false
}
