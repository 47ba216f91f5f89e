package resource

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// checkTransition objects to a change of status that is not allowed from where the record is.
func (c *collection[T]) checkTransition(change *Change[T]) {
	if c.Transitions.Field == "" || change.Before == nil {
		return
	}
	from, to := c.state(change.Before), c.state(change.After)
	if from != to && !slices.Contains(c.Transitions.From[from], to) {
		change.Reject(c.notAllowed(from, to))
	}
}

func (c *collection[T]) state(record *T) string {
	return fmt.Sprint(c.schema.Field(c.Transitions.Field).Get(reflect.ValueOf(record).Elem()))
}

func (c *collection[T]) notAllowed(from, to string) *fault.Error {
	allowed := c.Transitions.From[from]
	choice := "it is final"
	if len(allowed) > 0 {
		choice = "from there it can become " + strings.Join(allowed, ", ")
	}
	refusal := fault.Conflict("transition_not_allowed", c.Transitions.Field, to, "The %s is %s and cannot become %s; %s.",
		strings.ReplaceAll(c.row.Singular, "_", " "), from, to, choice)
	refusal.Allowed = append([]string{}, allowed...)
	return refusal
}

// mountTransition serves POST …/{id}/transition, where the definition names what goes with it: a patch in which the
// status is called "to", and in which staying is no transition.
func (c *collection[T]) mountTransition(ofOne []transport.Parameter, record any) {
	if c.Transitions.With == nil {
		return
	}
	status := c.schema.Field(c.Transitions.Field)
	to := *status.JSON
	to.Default, to.Description = nil, "The state to move to."
	body := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{"to": &to}, Required: []string{"to"}, AdditionalProperties: false}
	for _, name := range c.Transitions.With {
		body.Properties[name] = c.schema.Field(name).JSON
	}
	one := strings.ReplaceAll(c.row.Singular, "_", " ")
	c.registry.API.Handle(transport.Operation{
		Method: http.MethodPost, Path: c.row.Path + "/{id}/transition", ID: "transition_" + c.row.Singular, Scope: c.row.Scope + ":write", Feature: c.row.Feature,
		Summary:     "Move a " + one + " to another state",
		Description: "The same as PATCH with " + c.Transitions.Field + ", except that staying where it is is refused. 409 names the states that are allowed. Answers the whole record.",
		Parameters:  ofOne, Body: body, Response: record, Status: http.StatusOK,
	}, func(ctx context.Context, r *transport.Request) (*transport.Response, error) {
		patch, err := r.Object()
		if err != nil {
			return nil, err
		}
		if err := c.readTransition(status, patch); err != nil {
			return nil, err
		}
		change, err := c.changeOne(ctx, r, func(ctx context.Context, tx pgx.Tx, change *Change[T]) error {
			c.patch(change, patch, "")
			if err := change.err(); err != nil {
				return err
			}
			if from, to := c.state(change.Before), c.state(change.After); from == to {
				return c.notAllowed(from, to)
			}
			return c.update(ctx, tx, []*Change[T]{change})
		})
		if err != nil {
			return nil, err
		}
		return c.answer(change, http.StatusOK), nil
	})
}

// readTransition makes the body of a transition the patch that it stands for.
func (c *collection[T]) readTransition(status *schema.Field, body map[string]any) error {
	var problems schema.Problems
	for name := range body {
		if name != "to" && !slices.Contains(c.Transitions.With, name) && !schema.Tenant(name) {
			problems.Add(name, "is not a field of a transition; it takes to, %s", strings.Join(c.Transitions.With, ", "))
		}
	}
	to, given := body["to"]
	delete(body, "to")
	if given {
		body[status.Name] = status.Check("to", to, &problems)
	}
	if body[status.Name] == nil && len(problems) == 0 {
		problems.Add("to", "is required: the state to move to")
	}
	slices.SortFunc(problems, func(a, b fault.Field) int { return strings.Compare(a.Field, b.Field) })
	return problems.Err()
}
