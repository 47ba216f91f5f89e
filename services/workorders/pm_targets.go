package workorders

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
)

const (
	// maxFound is how many records a filter may find.
	maxFound = 10_000
	// lookedUp is how many ids one question to an owner has.
	lookedUp = 5000
)

// collections are the collections of targets, by their types.
var collections = map[string]string{"asset": "assets", "system": "systems", "building": "buildings", "site": "sites", "segment": "segments"}

// owned is what owners say of the targets that bodies of plans name.
type owned struct {
	entries map[string]map[string]reference.Entry // by collection and id
	filters map[PMTargetFilter]filtered
}

// filtered is what a filter finds: how many, or why it cannot be used.
type filtered struct {
	total int
	wrong string
}

type ownedKey struct{}

func targetsFound(ctx context.Context) owned {
	found, _ := ctx.Value(ownedKey{}).(owned)
	return found
}

// findTargets asks the owners for the targets that bodies name, before any transaction.
func (o orders) findTargets(ctx context.Context, bodies []map[string]any) (context.Context, error) {
	found := owned{map[string]map[string]reference.Entry{}, map[PMTargetFilter]filtered{}}
	wanted := map[string][]string{}
	for _, body := range bodies {
		targets, _ := body["targets"].([]any)
		for _, target := range targets[:min(len(targets), lookedUp)] {
			members, _ := target.(map[string]any)
			kind, _ := members["target_type"].(string)
			id, _ := members["target_id"].(string)
			if collection := collections[kind]; collection != "" && isUUID(id) {
				wanted[collection] = append(wanted[collection], strings.ToLower(id))
			}
		}
		if members, _ := body["target_filter"].(map[string]any); members != nil {
			var filter PMTargetFilter
			filter.Collection, _ = members["collection"].(string)
			filter.Query, _ = members["query"].(string)
			if _, known := found.filters[filter]; !known && slices.Contains([]string{"assets", "systems", "buildings", "sites", "segments"},
				filter.Collection) {
				var err error
				if found.filters[filter], err = o.tryFilter(ctx, filter); err != nil {
					return ctx, err
				}
			}
		}
	}
	for collection, ids := range wanted {
		entries, err := o.entries(ctx, collection, ids)
		if err != nil {
			return ctx, err
		}
		found.entries[collection] = entries
	}
	return context.WithValue(ctx, ownedKey{}, found), nil
}

func isUUID(id string) bool {
	return len(id) == 36 && strings.Trim(strings.ToLower(id), "0123456789abcdef-") == ""
}

// entries are the records of a collection with these ids that the organization has.
func (o orders) entries(ctx context.Context, collection string, ids []string) (map[string]reference.Entry, error) {
	found := map[string]reference.Entry{}
	slices.Sort(ids)
	for chunk := range slices.Chunk(slices.Compact(ids), lookedUp) {
		entries, err := o.registry.References.Find(ctx, collection, reference.Query{IDs: chunk})
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			found[entry.ID] = entry
		}
	}
	return found, nil
}

// check refuses targets that the organization does not have, and filters that cannot be used.
func (found owned) check(c *resource.Change[PMPlan]) {
	if found.entries == nil {
		return // a rule of ours changes the plan
	}
	known := map[PMTarget]bool{}
	if c.Before != nil {
		for _, t := range c.Before.Targets {
			known[t] = true
		}
	}
	if c.Sets("targets") {
		for i, t := range c.After.Targets {
			if _, is := found.entries[collections[t.TargetType]][t.TargetID]; !is && !known[t] {
				c.MissingError(fmt.Sprintf("targets[%d].target_id", i), "%s", catalogue.Product().Must(collections[t.TargetType]).Missing(t.TargetID))
			}
		}
	}
	if f := c.After.TargetFilter; c.Sets("target_filter") && f != nil {
		if tried, is := found.filters[*f]; is && tried.wrong != "" {
			c.FieldError("target_filter.query", "%s", tried.wrong)
		} else if tried.total > maxFound {
			c.FieldError("target_filter.query", "finds %d records; a plan is for at most %d", tried.total, maxFound)
		}
	}
}

// knows reports whether the call looked at what the plan is for.
func (found owned) knows(c *resource.Change[PMPlan]) bool {
	return found.entries != nil && (c.Sets("targets") || c.Sets("target_filter"))
}

// count gives how many targets a plan has, and on which sites, as JSON.
func (found owned) count(c *resource.Change[PMPlan]) (int, string) {
	if f := c.After.TargetFilter; f != nil {
		return found.filters[*f].total, "{}"
	}
	sites := map[string]int{}
	for _, t := range c.After.Targets {
		if site := siteOf(t, found.entries[collections[t.TargetType]][t.TargetID]); site != "" {
			sites[site]++
		}
	}
	encoded, _ := json.Marshal(sites) // texts and numbers: cannot fail
	return len(c.After.Targets), string(encoded)
}

func siteOf(t PMTarget, entry reference.Entry) string {
	if t.TargetType == "site" {
		return t.TargetID
	}
	return entry.References["site_id"]
}

// targetPage is a page of a list of any collection of targets.
type targetPage struct {
	Data []struct {
		ID              string  `json:"id"`
		Name            *string `json:"name"`
		Status          *string `json:"status"`
		ConditionRating *int    `json:"condition_rating"`
		SiteID          *string `json:"site_id"`
		BuildingID      *string `json:"building_id"`
		SystemID        *string `json:"system_id"`
		NetworkID       *string `json:"network_id"`
	} `json:"data"`
	Pagination struct {
		Total int `json:"total"`
	} `json:"pagination"`
}

// reserved are the parameters of lists that a filter does not have: the planner sets them.
var reserved = []string{"page", "per_page", "sort", "fields", "expand", "cursor", "limit", "offset"}

// list reads a page of the records that a filter finds, as the organization sees them.
func (o orders) list(ctx context.Context, filter PMTargetFilter, page, perPage int) (found targetPage, err error) {
	row := o.registry.Catalogue.Must(filter.Collection)
	p := principal.From(ctx)
	p.Scopes = []string{row.Scope + ":read"}
	query := strings.TrimPrefix(filter.Query, "?")
	if query != "" {
		query += "&"
	}
	path := fmt.Sprintf("%s?%spage=%d&per_page=%d", row.Path, query, page, perPage)
	err = o.registry.References.Call(principal.Into(ctx, p), row.Service, "GET", path, nil, &found)
	return found, err
}

// tryFilter finds out whether a filter can be used, with the caller's own scope.
func (o orders) tryFilter(ctx context.Context, filter PMTargetFilter) (filtered, error) {
	query, err := url.ParseQuery(strings.TrimPrefix(filter.Query, "?"))
	if err != nil || strings.ContainsAny(filter.Query, "#") {
		//nolint:nilerr // it says so
		return filtered{wrong: "must be parameters as in the query of a list, such as status=active&tags=north"}, nil
	}
	for _, name := range reserved {
		if query.Has(name) {
			return filtered{wrong: name + " cannot be given; the planner reads all pages"}, nil
		}
	}
	row := o.registry.Catalogue.Must(filter.Collection)
	if p := principal.From(ctx); !p.Allows(row.Scope + ":read") {
		return filtered{wrong: "needs the scope " + row.Scope + ":read"}, nil
	} else if !p.Has(row.Feature) {
		return filtered{wrong: "is of the feature " + row.Feature + ", which the plan does not include"}, nil
	}
	page, err := o.list(ctx, filter, 1, 1)
	var refused *fault.Error
	if errors.As(err, &refused) && refused.Kind == fault.KindInvalid {
		message := refused.Message
		if len(refused.Fields) > 0 {
			message = refused.Fields[0].Field + " " + refused.Fields[0].Message
		}
		return filtered{wrong: message}, nil
	}
	return filtered{total: page.Pagination.Total}, err
}
