package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	ams "ams.internal/clients/go"
	"ams.internal/libs/schema"
)

// Records of a sub-collection are written below what they belong to, which a row names by its id or by its external id:
// work_order_id or work_order_external_id. A call is for one parent, so rows of one parent should stand together; but where the service
// takes parts of any parents in one call, as it does readings of meters, they go as they come.

// parent is what a record belongs to. One of the two is given.
type parent struct{ id, externalID string }

// group is the entries of a batch that go to one path.
type group struct {
	path    string
	entries []entry
}

// parentKey is the field that names the parent by its external id.
func (r *running) parentKey() string {
	return strings.TrimSuffix(r.collection.Parent, "_id") + "_external_id"
}

// takeParent takes the parent out of a record's fields: it belongs into the path.
func (r *running) takeParent(fields map[string]any) (of parent) {
	if r.collection.Parent == "" || r.collection.Flat != "" {
		return parent{}
	}
	of.id = strings.ToLower(text(fields[r.collection.Parent]))
	if of.id == "" {
		of.externalID = text(fields[r.parentKey()])
	}
	if of == (parent{}) {
		of.id = strings.ToLower(r.collection.Of)
	}
	delete(fields, r.collection.Parent)
	delete(fields, r.parentKey())
	return of
}

// text reads a value that came from a column, or from a line of NDJSON.
func text(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case json.RawMessage:
		var decoded string
		if json.Unmarshal(value, &decoded) == nil {
			return strings.TrimSpace(decoded)
		}
	}
	return ""
}

var idPattern = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// byParent divides a batch by where its entries go, in the order of the rows. Those of unknown parents are rejected.
func (r *running) byParent(ctx context.Context, b *batch) ([]group, error) {
	if r.collection.Parent == "" {
		return []group{{r.collection.Path, b.entries}}, nil
	}
	if r.collection.Flat != "" {
		return []group{{r.collection.Flat, b.entries}}, nil
	}
	ids, err := r.find(ctx, b.entries)
	if err != nil {
		return nil, err
	}
	var groups []group
	at := map[string]int{}
	for _, e := range b.entries {
		id := e.of.id
		switch {
		case id != "" && !idPattern.MatchString(id):
			b.reject(e, r.collection.Parent, fmt.Sprintf("%q is not an id; your own ids go into %s", id, r.parentKey()))
			continue
		case id == "":
			if id = ids[key(e.of.externalID)]; id == "" {
				b.reject(e, r.parentKey(), fmt.Sprintf("nothing in %s has the external_id %q", r.collection.Parents, e.of.externalID))
				continue
			}
		}
		if _, known := at[id]; !known {
			at[id] = len(groups)
			groups = append(groups, group{path: strings.Replace(r.collection.Path, "{"+r.collection.Parent+"}", id, 1)})
		}
		groups[at[id]].entries = append(groups[at[id]].entries, e)
	}
	return groups, nil
}

// lookupBatch keeps the address of a look-up short enough for every proxy.
const lookupBatch = 40

// find looks up the parents that are named by external ids.
func (r *running) find(ctx context.Context, entries []entry) (map[string]string, error) {
	found, requested := map[string]string{}, map[string]bool{}
	var wanted []string
	for _, e := range entries {
		if name := e.of.externalID; name != "" && !requested[key(name)] {
			requested[key(name)] = true
			wanted = append(wanted, name)
		}
	}
	for start := 0; start < len(wanted); start += lookupBatch {
		var list struct {
			Data []struct {
				ID         string `json:"id"`
				ExternalID string `json:"external_id"`
			} `json:"data"`
		}
		query := url.Values{"external_id": {schema.ListOf(wanted[start:min(start+lookupBatch, len(wanted))]...)}, "fields": {"id,external_id"},
			"per_page": {"1000"}}
		if err := r.client.Request(ctx,
			ams.Request{Method: http.MethodGet, Path: "/v1/" + r.collection.Parents, Query: query}, &list); err != nil {
			return nil, err
		}
		for _, parent := range list.Data {
			found[key(parent.ExternalID)] = parent.ID
		}
	}
	return found, nil
}

// key compares external ids as the service does.
func key(externalID string) string { return schema.UniqueKey(externalID) }
