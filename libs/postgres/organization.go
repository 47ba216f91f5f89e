package postgres

import (
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// organizationCall is how a statement names the organization of its transaction.
const organizationCall = "current_organization()"

// bind gives a statement the organization as a last argument, in the place of every current_organization(). They are equal; but a planner
// that looks for the one part of a table, or the one machine, where the organization's rows are finds it by an argument only (ADR 58).
// Where a caller has forgotten the condition, row-level security still has the function.
func bind(sql string, args []any, organization string) (string, []any) {
	if organization == "" || !strings.Contains(sql, organizationCall) {
		return sql, args
	}
	return strings.ReplaceAll(sql, organizationCall, "$"+strconv.Itoa(len(args)+1)+"::uuid"), append(args[:len(args):len(args)], organization)
}

// bindAll does it for statements of a batch.
func bindAll(queued []*pgx.QueuedQuery, organization string) {
	for _, q := range queued {
		q.SQL, q.Arguments = bind(q.SQL, q.Arguments, organization)
	}
}
