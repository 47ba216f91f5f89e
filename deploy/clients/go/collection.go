package ams

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Collection is the operations of a collection: R is a record as the service shows it, W what a create takes, P a patch.
type Collection[R, W, P any] struct {
	client *Client
	path   string // such as /v1/assets
}

// Record is a record of any collection, by the names of its fields.
type Record = map[string]any

// NewCollection is a collection by its path, such as assets or work-orders/ID/costs, with types of your own: a struct with the
// fields that you read, or json.RawMessage for records as they are.
func NewCollection[R, W, P any](client *Client, path string) *Collection[R, W, P] {
	return &Collection[R, W, P]{client, "/v1/" + strings.Trim(strings.TrimPrefix(path, "/v1/"), "/")}
}

// Collection is a collection by its path, such as assets or work-orders/ID/costs, with records of any shape.
func (c *Client) Collection(path string) *Collection[Record, Record, Record] {
	return NewCollection[Record, Record, Record](c, path)
}

// Page is one page of a list.
type Page[R any] struct {
	Data       []R      `json:"data"`
	Pagination PageInfo `json:"pagination"`
}

// PageInfo says where a page is. By cursor, nobody knows the page's number.
type PageInfo struct {
	Page       *int    `json:"page"`
	PerPage    int     `json:"per_page"`
	Total      int     `json:"total"` // of all pages, exact
	TotalPages int     `json:"total_pages"`
	NextCursor *string `json:"next_cursor"` // nil on the last page, and of lists without cursors
}

// List gives one page. Filters may be nil.
func (c *Collection[R, W, P]) List(ctx context.Context, filters Filters) (*Page[R], error) {
	page := &Page[R]{}
	if err := c.client.Request(ctx, Request{Path: c.path, Query: filters.values()}, page); err != nil {
		return nil, err
	}
	return page, nil
}

// All gives the records of all pages, in pages of 1,000 unless the filters have a per_page. An error is the last that it gives.
//
//	for asset, err := range client.Assets.All(ctx, nil) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(asset.Name)
//	}
//
// It goes by cursor: no record that stays as it is comes twice or is left out while others are added and deleted.
func (c *Collection[R, W, P]) All(ctx context.Context, filters Filters) iter.Seq2[*R, error] {
	query := filters.values()
	if !query.Has("per_page") {
		query.Set("per_page", "1000")
	}
	return allPages[R](ctx, c.client, c.path, query)
}

// allPages reads a list to its end: by cursor where it has one, else by number.
func allPages[R any](ctx context.Context, client *Client, path string, query url.Values) iter.Seq2[*R, error] {
	return func(yield func(*R, error) bool) {
		for number := 1; ; number++ {
			page := &Page[R]{}
			if err := client.Request(ctx, Request{Path: path, Query: query}, page); err != nil {
				yield(nil, err)
				return
			}
			for i := range page.Data {
				if !yield(&page.Data[i], nil) {
					return
				}
			}
			switch at := page.Pagination; {
			case at.NextCursor != nil:
				query.Del("page")
				query.Set("cursor", *at.NextCursor)
			case at.Page != nil && *at.Page < at.TotalPages:
				query.Set("page", strconv.Itoa(*at.Page+1))
			default:
				return
			}
		}
	}
}

// Get gives one record. query may have fields and expand, and may be nil.
func (c *Collection[R, W, P]) Get(ctx context.Context, id string, query Filters) (*R, error) {
	return c.one(ctx, Request{Path: c.at(id), Query: query.values()})
}

// Create makes a record and gives it whole.
func (c *Collection[R, W, P]) Create(ctx context.Context, record W) (*R, error) {
	return c.one(ctx, Request{Method: http.MethodPost, Path: c.path, Body: record})
}

// Update changes what the patch says: what it does not have stays, null clears. The service refuses (409) when the record is no longer
// at ifMatch, a version such as record.Version; 0 changes it in any version.
//
// When a response is lost, the call is repeated. With ifMatch, that may find the change that it has made itself and
// be a 409: read the record.
func (c *Collection[R, W, P]) Update(ctx context.Context, id string, patch P, ifMatch int64) (*R, error) {
	return c.one(ctx, Request{Method: http.MethodPatch, Path: c.at(id), Body: patch, Header: versionHeader(ifMatch)})
}

// Delete removes a record, of the version ifMatch, or 0 for any. One that something refers to is a 409 with Dependents.
func (c *Collection[R, W, P]) Delete(ctx context.Context, id string, ifMatch int64) error {
	return c.client.Request(ctx, Request{Method: http.MethodDelete, Path: c.at(id), Header: versionHeader(ifMatch)}, nil)
}

// Upsert makes the record with your own id, or changes it to what the record says; fields that it does not have stay.
func (c *Collection[R, W, P]) Upsert(ctx context.Context, externalID string, record W) (*R, error) {
	return c.one(ctx, Request{Method: http.MethodPut, Path: c.path + "/by-external-id/" + url.PathEscape(externalID), Body: record})
}

// History gives every change of a record, oldest first, also of one that was deleted.
func (c *Collection[R, W, P]) History(ctx context.Context, id string) iter.Seq2[*HistoryEntry, error] {
	return allPages[HistoryEntry](ctx, c.client, c.at(id)+"/history", url.Values{"per_page": {"1000"}})
}

func (c *Collection[R, W, P]) one(ctx context.Context, request Request) (*R, error) {
	record := new(R)
	if err := c.client.Request(ctx, request, record); err != nil {
		return nil, err
	}
	return record, nil
}

func (c *Collection[R, W, P]) at(id string) string { return c.path + "/" + url.PathEscape(id) }

func versionHeader(version int64) http.Header {
	if version == 0 {
		return nil
	}
	return http.Header{"If-Match": {`"` + strconv.FormatInt(version, 10) + `"`}}
}
