package table

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/principal"
)

// Conditions is a WHERE clause in the making. Every condition is written as if it stood alone: $1 is the organization, $2,
// $3 … are its own arguments.
type Conditions struct {
	Where []string
	Args  []any // $1 is the organization, the first of these is $2
}

var placeholder = regexp.MustCompile(`\$[0-9]+`)

// Add adds a condition with its arguments.
func (c *Conditions) Add(condition string, args ...any) {
	before := len(c.Args)
	c.Args = append(c.Args, args...)
	c.Where = append(c.Where, placeholder.ReplaceAllStringFunc(condition, func(mark string) string {
		n, err := strconv.Atoi(mark[1:])
		if err != nil || n < 2 {
			return mark
		}
		return "$" + strconv.Itoa(n+before)
	}))
}

// Clone gives conditions to which others can be added.
func (c Conditions) Clone() Conditions {
	return Conditions{slices.Clone(c.Where), slices.Clone(c.Args)}
}

// SQL is the whole condition over alias t: the organization's rows that meet all conditions.
func (c *Conditions) SQL() string {
	return strings.Join(append([]string{"t.organization_id = $1"}, c.Where...), " AND ")
}

// Arguments are the statement's arguments so far.
func (c *Conditions) Arguments(ctx context.Context) []any {
	return append([]any{principal.From(ctx).OrganizationID}, c.Args...)
}
