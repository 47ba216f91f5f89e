package main

import (
	"ams.internal/libs/domain/placement"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
)

// Where a work order is and who does it. The specific reference fills the general: an asset its system, building and
// site, a system its building and site, a building its site, a segment its site. A general one that the caller sets
// against the specific is a contradiction; one that merely stayed behind when the specific changed follows it.

func resolve(changes []*resource.Change[WorkOrder], found *resource.Found) error {
	for _, c := range changes {
		before := &WorkOrder{}
		if c.Before != nil {
			before = c.Before
		}
		checkAssignee(c, before, found)
		place{c, before, found, map[string]said{}}.settle()
	}
	return nil
}

// checkAssignee lets work be given to active users only. Who has it already may keep it.
func checkAssignee(c *resource.Change[WorkOrder], before *WorkOrder, found *resource.Found) {
	if c.After.AssigneeID == nil || resource.Same(before.AssigneeID, c.After.AssigneeID) {
		return
	}
	user, _ := found.Entry("users", *c.After.AssigneeID)
	if user.Status != nil && *user.Status != "active" {
		c.FieldError("assignee_id", "must be an active user; %s is %s", user.Name, *user.Status)
	}
}

// place is what one change says about where its work order is.
type place struct {
	change *resource.Change[WorkOrder]
	before *WorkOrder
	found  *resource.Found
	says   map[string]said // by field, once something specific has said it
}

// said is the id that a more specific reference implies.
type said struct{ id, by string }

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

func (p place) settle() {
	before, after := p.before, p.change.After
	if resource.Same(before.AssetID, after.AssetID) && resource.Same(before.SegmentID, after.SegmentID) && resource.Same(before.SystemID, after.SystemID) &&
		resource.Same(before.BuildingID, after.BuildingID) && resource.Same(before.SiteID, after.SiteID) {
		return // who does it was changed; where it was when that was written stays
	}
	p.learn("asset", p.entry("assets", after.AssetID))
	if p.follow(system) && p.follow(building) && p.followSegment() {
		p.follow(site)
	}
}

func (p place) entry(collection string, id *string) reference.Entry {
	if id == nil {
		return reference.Entry{}
	}
	entry, _ := p.found.Entry(collection, *id) // an id that nobody has was refused before
	return entry
}

// learn keeps what a record says about where it is, as far as nothing more specific has said so.
func (p place) learn(by string, entry reference.Entry) {
	for _, field := range []string{"system_id", "building_id", "site_id"} {
		if id := entry.References[field]; id != "" && p.says[field].id == "" {
			p.says[field] = said{id, by}
		}
	}
}

// follow gives a general reference what the specific ones say, and says no to what contradicts them.
func (p place) follow(g general) bool {
	field, value := g.singular+"_id", g.of(p.change.After)
	reference := placement.Reference{Before: *g.of(p.before), After: value}
	if s := p.says[field]; s.id != "" {
		if !reference.Fill(s.id) {
			p.change.FieldError(field, "does not agree: the %s is in %s %s; correct one of them or leave %s out", s.by, g.singular, s.id, field)
			return false
		}
		return true
	}
	entry := p.entry(g.collection, *value)
	for parent, id := range entry.References {
		s := p.says[parent]
		if s.id == "" || s.id == id {
			continue
		}
		if !reference.Stayed() {
			p.change.FieldError(field, "does not agree: %s of the %s is %s, of this %s it is %s; correct one of them or leave %s out", parent, s.by, s.id, g.singular, id, field)
			return false
		}
		reference.Clear() // it stayed behind where the work order was before
		return true
	}
	p.learn(g.singular, entry)
	return true
}

// followSegment lets the segment say the site, unless the asset, the system or the building has said another.
func (p place) followSegment() bool {
	entry := p.entry("segments", p.change.After.SegmentID)
	on, s := entry.References["site_id"], p.says["site_id"]
	if on == "" || s.id == "" || s.id == on {
		p.learn("segment", reference.Entry{References: map[string]string{"site_id": on}})
		return true
	}
	field := "segment_id"
	if resource.Same(p.before.SegmentID, p.change.After.SegmentID) {
		field = s.by + "_id"
	}
	p.change.FieldError(field, "does not agree: the segment is on site %s, the %s on site %s; correct one of them or leave one out", on, s.by, s.id)
	return false
}
