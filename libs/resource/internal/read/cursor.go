package read

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/table"
)

// cursorLifetime is how long a cursor is good for at least; of those of a day, the later ones are good for as long as the first.
const cursorLifetime = 24 * time.Hour

// cursor says where a list goes on: behind a row, whether that is still there or not. Callers see it sealed, because it has values of
// records and may end in logs of URLs.
type cursor struct {
	Issued int64     `json:"at"`  // Unix seconds, of the day's beginning
	List   []byte    `json:"of"`  // what listOf gives
	Values []*string `json:"row"` // of what the list is ordered by, in that row; null for none
}

// boundToCursors keeps what is sealed under the same keys for something else from being a cursor.
var boundToCursors = []byte("cursor")

// listOf identifies what a cursor goes on with: the same records in the same order, whatever is shown of them and however many a page has.
func (t list) listOf(ctx context.Context, parent string, parameters url.Values) []byte {
	same := url.Values{}
	for name, values := range parameters {
		if !slices.Contains(t.shownOnly(), name) {
			same[name] = values
		}
	}
	sum := sha256.Sum256([]byte(principal.From(ctx).OrganizationID + "\n" + t.Row.Name + "\n" + parent + "\n" + same.Encode()))
	return sum[:16]
}

// next seals the cursor behind the row with these values.
func (t list) next(q *query, values []*string) (string, error) {
	// Of the day: the same request has the same cursor, and so the same page.
	plain, err := json.Marshal(cursor{Issued: time.Now().Truncate(cursorLifetime).Unix(), List: q.list, Values: values})
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(t.Cursors.SealSame(plain, boundToCursors)), nil
}

// goOn puts the query behind the row of a cursor.
func (t list) goOn(q *query, text string) error {
	var c cursor
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return notACursor
	}
	plain, opened := t.Cursors.Open(sealed, boundToCursors)
	if !opened || json.Unmarshal(plain, &c) != nil {
		return notACursor
	}
	switch {
	case !slices.Equal(c.List, q.list):
		return fault.Invalid("cursor_mismatch", "The cursor belongs to another list: another organization, path, filter or sort. Send it with "+
			"the parameters of the request that gave it, or leave cursor out to begin again.")
	case time.Since(time.Unix(c.Issued, 0)) > 2*cursorLifetime:
		return fault.Invalid("cursor_expired", "The cursor is older than a day. Leave cursor out to begin again.")
	case len(c.Values) != max(1, len(q.sort)):
		return notACursor // of a release with another order
	}
	q.after = c.Values
	return nil
}

var notACursor = fault.InvalidFields(fault.Field{Field: "cursor",
	Message: "is not one that a list gave; send next_cursor whole and unchanged, or leave cursor out to begin again"})

// texts are the values of a row as a cursor has them.
func texts(values table.Values) []*string {
	all := make([]*string, len(values))
	for i, value := range values {
		if value != nil {
			text := string(value)
			all[i] = &text
		}
	}
	return all
}
