package requests

import (
	"ams.internal/libs/domain/placement"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
)

// resolvePlaces completes where requests are: an asset fills its building and site, a building and a segment their site. A general
// reference that the caller sets to something else is a contradiction.
func resolvePlaces(changes []*resource.Change[Request], found *resource.Found) error {
	for _, c := range changes {
		before := &Request{}
		if c.Before != nil {
			before = c.Before
		}
		if resource.Same(before.AssetID, c.After.AssetID) && resource.Same(before.BuildingID, c.After.BuildingID) &&
			resource.Same(before.SegmentID, c.After.SegmentID) && resource.Same(before.SiteID, c.After.SiteID) {
			continue // the change does not move the request
		}
		entry := func(collection string, id *string) reference.Entry {
			if id == nil {
				return reference.Entry{}
			}
			e, _ := found.Entry(collection, *id) // unknown ids were rejected before
			return e
		}
		asset := entry("assets", c.After.AssetID)
		if fill(c, "building_id", "asset", asset, before.BuildingID, &c.After.BuildingID) &&
			fill(c, "site_id", "asset", asset, before.SiteID, &c.After.SiteID) &&
			fill(c, "site_id", "building", entry("buildings", c.After.BuildingID), before.SiteID, &c.After.SiteID) {
			fill(c, "site_id", "segment", entry("segments", c.After.SegmentID), before.SiteID, &c.After.SiteID)
		}
	}
	return nil
}

// fill sets a general reference to what a more specific record implies. It reports false after a contradiction, which is a field error.
func fill(c *resource.Change[Request], field, by string, specific reference.Entry, before *string, after **string) bool {
	implied := specific.References[field]
	if implied == "" {
		return true
	}
	if !(placement.Reference{Before: before, After: after}).Fill(implied) {
		c.FieldError(field, "does not agree: %s of the %s is %s; correct one of them or leave %s out", field, by, implied, field)
		return false
	}
	return true
}
