package write

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
	"ams.internal/libs/transport"
)

// checkTransition objects to a change of status that is not allowed from where the record is.
func (c *Resource) checkTransition(it *change.Change) {
	if c.Transitions.Field == "" || it.Before == nil {
		return
	}
	from, to := c.state(it.Before), c.state(it.After)
	if from == to {
		return
	}
	if allowed, _ := c.allowed(it.Before); !slices.Contains(allowed, to) {
		it.Reject(c.notAllowed(it.Before, to))
	}
}

// allowed are the states that a record may move to next, with the sentence that says why they are fewer than otherwise.
func (c *Resource) allowed(record any) (states []string, because string) {
	states = c.Transitions.From[c.state(record)]
	if c.Transitions.Now != nil {
		return c.Transitions.Now(record, states)
	}
	return states, ""
}

func (c *Resource) state(record any) string {
	return fmt.Sprint(c.Schema.Field(c.Transitions.Field).Get(change.Record(record)))
}

func (c *Resource) notAllowed(before any, to string) *fault.Error {
	from := c.state(before)
	allowed, because := c.allowed(before)
	choice := "it is final"
	if len(allowed) > 0 {
		choice = "from there it can become " + strings.Join(allowed, ", ")
	}
	conflict := fault.Conflict("transition_not_allowed", c.Transitions.Field, to, "The %s is %s and cannot become %s; %s.",
		c.One(), from, to, choice)
	if because != "" {
		conflict.Message += " " + because
	}
	conflict.Allowed = append([]string{}, allowed...)
	return conflict
}

// Transition serves POST …/{id}/transition: a patch in which the status is called "to", and in which staying is no transition.
func (c *Resource) Transition(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	patch, err := r.Object()
	if err != nil {
		return nil, err
	}
	if err := c.readTransition(c.Schema.Field(c.Transitions.Field), patch); err != nil {
		return nil, err
	}
	it, err := c.changeOne(ctx, r, func(ctx context.Context, tx pgx.Tx, it *change.Change) error {
		it.Patch(patch, "")
		if err := it.Err(); err != nil {
			return err
		}
		if from, to := c.state(it.Before), c.state(it.After); from == to {
			return c.notAllowed(it.Before, to)
		}
		return c.update(ctx, tx, []*change.Change{it})
	})
	if err != nil {
		return nil, err
	}
	return c.response(ctx, it, http.StatusOK), nil
}

// readTransition makes the body of a transition the patch that it stands for.
func (c *Resource) readTransition(status *schema.Field, body map[string]any) error {
	var problems schema.Problems
	for name := range body {
		if name != "to" && !slices.Contains(c.Transitions.With, name) && !schema.Tenant(name) {
			problems.Add(name, "is not a field of a transition; it takes to, %s%s", strings.Join(c.Transitions.With, ", "),
				suggest.DidYouMean(name, c.Transitions.With))
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
