package transport

import (
	"cmp"
	"context"
	"errors"
	"slices"

	kit "github.com/go-kit/kit/endpoint"

	"ams.internal/libs/fault"
	"ams.internal/libs/schema"
)

// maxOrdered is the largest body, in bytes, that is looked through for where its problems stand.
const maxOrdered = 1 << 20

// inOrder names the problems of members of a body in the order in which these stand in it. All other problems stay where they are.
func inOrder(next kit.Endpoint) kit.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		response, err := next(ctx, request)
		var e *fault.Error
		r, ok := request.(*Request)
		if !ok || !errors.As(err, &e) || len(e.Fields) < 2 || len(r.Body) == 0 || len(r.Body) > maxOrdered {
			return response, err
		}
		places, fields := schema.Places(r.Body, e.Fields), slices.Clone(e.Fields)
		var inBody []int // indexes of the fields that stand in the body
		for i, f := range fields {
			if _, stands := places[f.Field]; stands {
				inBody = append(inBody, i)
			}
		}
		sorted := slices.SortedStableFunc(slices.Values(inBody), func(a, b int) int {
			return cmp.Compare(places[fields[a].Field], places[fields[b].Field])
		})
		for i, from := range sorted {
			fields[inBody[i]] = e.Fields[from]
		}
		ordered := *e
		if ordered.Fields = fields; e.Message == fault.InvalidFields(e.Fields...).Message {
			ordered.Message = fault.InvalidFields(fields...).Message
		}
		return response, &ordered
	}
}
