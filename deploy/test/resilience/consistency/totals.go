package consistency

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
)

// lists are lists whose totals are kept in different ways, and the same in SQL, where $1 is the organization.
var lists = []struct{ path, sql string }{
	{"/v1/assets", "SELECT count(*) FROM assets.asset WHERE organization_id = $1"},
	{"/v1/assets?status=in_service", "SELECT count(*) FROM assets.asset WHERE organization_id = $1 AND status = 'in_service'"},
	{"/v1/assets?category=null&status=in_service", `SELECT count(*) FROM assets.asset WHERE organization_id = $1 AND category IS NULL
		AND status = 'in_service'`},
	{"/v1/assets?condition_rating_min=4", "SELECT count(*) FROM assets.asset WHERE organization_id = $1 AND condition_rating >= 4"},
	{"/v1/work-orders?status=open", "SELECT count(*) FROM workorders.work_order WHERE organization_id = $1 AND status = 'open'"},
	{"/v1/assets?q=load",
		"SELECT count(*) FROM assets.asset WHERE organization_id = $1 AND (name ILIKE 'load %' OR external_id ILIKE 'load %')"},
	{"/v1/assets?q=load+a1&status=in_service", `SELECT count(*) FROM assets.asset WHERE organization_id = $1 AND status = 'in_service'
		AND (name ILIKE 'load a1%' OR external_id ILIKE 'load a1%')`},
	{"/v1/work-orders?q=load+7c", `SELECT count(*) FROM workorders.work_order WHERE organization_id = $1
		AND (title ILIKE 'load 7c%' OR external_id ILIKE 'load 7c%')`},
	{"/v1/sites", "SELECT count(*) FROM assets.site WHERE organization_id = $1"},
}

// WrongTotals compares the totals of lists with what is counted in the database, while nobody writes.
func WrongTotals(ctx context.Context, db *pgx.Conn, subjects []Subject) (found []string, err error) {
	for _, subject := range subjects {
		for _, list := range lists {
			var page struct {
				Pagination struct {
					Total int `json:"total"`
				} `json:"pagination"`
			}
			path, query, _ := strings.Cut(list.path, "?")
			filters, err := url.ParseQuery(query)
			if err != nil {
				return nil, err
			}
			if err := subject.Client.Request(ctx, ams.Request{Method: http.MethodGet, Path: path, Query: filters}, &page); err != nil {
				return nil, fmt.Errorf("%s: %w", list.path, err)
			}
			var counted int
			if err := db.QueryRow(ctx, list.sql, subject.Organization).Scan(&counted); err != nil {
				return nil, err
			}
			if page.Pagination.Total != counted {
				found = append(found, fmt.Sprintf("%s has a total of %d, counted there are %d", list.path, page.Pagination.Total, counted))
			}
		}
	}
	return found, nil
}
