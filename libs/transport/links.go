package transport

import (
	"cmp"
	"maps"
	"net/url"
	"strconv"
	"strings"
)

// maxLinkedQuery is from how many bytes of query on only the next page is linked to: each link has the query once more, and there are
// proxies that take no more than 4 kB of headers.
const maxLinkedQuery = 800

// Pages says where in a list a page is.
type Pages struct {
	Page   int    // its number, from 1; 0 of a page that was asked for by a cursor
	Last   int64  // the number of the last page
	Cursor string // of the next page; "" where there is none, or the list has no cursors
	By     string // the parameter that takes the cursor; "cursor" when left out
}

// Pagination says which part of a list a page is, in the body of a list that has pages by number only.
type Pagination struct {
	Page       int   `json:"page"`
	PerPage    int   `json:"per_page"`
	Total      int64 `json:"total"`
	TotalPages int64 `json:"total_pages"`
}

// PaginationOf is that of one page of total entries.
func PaginationOf(page, perPage int, total int64) Pagination {
	return Pagination{page, perPage, total, max(1, (total+int64(perPage)-1)/int64(perPage))}
}

// Pages says where in the list the page is.
func (p Pagination) Pages() Pages { return Pages{Page: p.Page, Last: p.TotalPages} }

// Paged is an output that is a page of a list. Its response has a Link header.
type Paged interface{ Pages() Pages }

// Links is the Link header (RFC 8288) from a page to those around it: paths with the request's own parameters. first, prev and last go by
// number; next by cursor where there is one. It is empty where there is no other page.
func (p Pages) Links(r *Request) string {
	by := cmp.Or(p.By, "cursor")
	var links []string
	add := func(relation, name, value string) {
		query := maps.Clone(r.Query)
		if query == nil {
			query = url.Values{}
		}
		query.Del("page")
		query.Del(by)
		query.Set(name, value)
		links = append(links, "<"+r.URL.EscapedPath()+"?"+query.Encode()+`>; rel="`+relation+`"`)
	}
	number := func(relation string, page int64) { add(relation, "page", strconv.FormatInt(page, 10)) }
	page := int64(p.Page)
	switch {
	case p.Cursor != "":
		add("next", by, p.Cursor)
	case page > 0 && page < p.Last:
		number("next", page+1)
	}
	if page == 0 || p.Last < 2 && page == 1 || len(r.URL.RawQuery) > maxLinkedQuery {
		return strings.Join(links, ", ")
	}
	if page > 1 {
		number("prev", min(page-1, p.Last))
	}
	number("first", 1)
	number("last", p.Last)
	return strings.Join(links, ", ")
}
