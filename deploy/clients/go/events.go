package ams

import (
	"context"
	"iter"
	"net/url"
	"strconv"
	"time"
)

// EventPage is a piece of the feed. Store Next with what you have applied: from there, nothing is missed.
type EventPage struct {
	Data    []Event `json:"data"`
	Next    string  `json:"next"`
	HasMore bool    `json:"has_more"` // there is more at once, also behind an empty page
}

// Events gives what happened after a cursor, or from the oldest event on when it is empty. filters may have types, limit and wait, and may
// be nil. A cursor that is older than what is stored is a 400 with the code cursor_expired, and the cursor to go on from in Allowed.
func (c *Client) Events(ctx context.Context, after string, filters Filters) (*EventPage, error) {
	query := filters.values()
	if after != "" {
		query.Set("after", after)
	}
	request := Request{Path: "/v1/events", Query: query}
	if wait, err := strconv.Atoi(query.Get("wait")); err == nil && c.Timeout != 0 {
		request.Timeout = c.Timeout + time.Duration(wait)*time.Second
	}
	page := &EventPage{}
	if err := c.Request(ctx, request, page); err != nil {
		return nil, err
	}
	return page, nil
}

// FollowEvents gives the pages of the feed after a cursor, and then, without end, what happens: it waits for events in calls of 20
// seconds, or of the filters' wait. An error is the last that it gives; it ends with ctx.
func (c *Client) FollowEvents(ctx context.Context, after string, filters Filters) iter.Seq2[*EventPage, error] {
	waiting := Filters{"wait": 20}
	for name, value := range filters {
		waiting[name] = value
	}
	return func(yield func(*EventPage, error) bool) {
		for {
			page, err := c.Events(ctx, after, waiting)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(page, nil) {
				return
			}
			after = page.Next
		}
	}
}

// Me says whose key it is, and what it may do.
func (c *Client) Me(ctx context.Context) (*Me, error) {
	return read[Me](ctx, c, "/v1/me", nil)
}

// Search finds records of all collections by what people call them, the best first. filters may have kinds, limit and site_id, and may be
// nil.
func (c *Client) Search(ctx context.Context, text string, filters Filters) (*SearchResult, error) {
	query := filters.values()
	query.Set("q", text)
	found := &SearchResult{}
	if err := c.Request(ctx, Request{Path: "/v1/search", Query: query}, found); err != nil {
		return nil, err
	}
	return found, nil
}

// read gets what is at a path.
func read[T any](ctx context.Context, client *Client, path string, query Filters) (*T, error) {
	found := new(T)
	if err := client.Request(ctx, Request{Path: path, Query: query.values()}, found); err != nil {
		return nil, err
	}
	return found, nil
}

func below(path, id, rest string) string { return path + "/" + url.PathEscape(id) + "/" + rest }
