package requests

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
)

// shownRequest is what a receipt shows of a request: how far it is, and what its requester is told.
type shownRequest struct {
	Number     string  `json:"number"`
	Status     string  `json:"status"` // of a duplicate, the other request's
	PublicNote *string `json:"public_note"`
	Received   string  `json:"received_at"`
	Ended      *string `json:"ended_at"`

	zone  *time.Location // where the organization is
	waits bool           // its work was cancelled
}

type receiptPage struct {
	page
	Number, State, Note string
	Received, Ended     string
}

// showReceipt serves GET /r/status/{receipt}: a page, or JSON for programs.
func (p *publicDoor) showReceipt(w http.ResponseWriter, r *http.Request) {
	lang := p.languages.of(r, r.URL.Query().Get("lang"))
	found, err := shownRequest{}, p.counter.take(r.Context(), p.limits.reads, source(r))
	if err == nil {
		found, err = p.findReceipt(r.Context(), r.PathValue("receipt"))
	}
	switch {
	case prefersJSON(r) && err != nil:
		p.fail(w, r, err)
	case prefersJSON(r):
		writeJSON(w, http.StatusOK, found)
	case err != nil:
		p.failPage(w, r, lang, err)
	default:
		shown := receiptPage{page: p.page(lang, "receipt.title", r.URL.Path), Number: found.Number,
			State: lang.translate("state." + found.sentence()),
			Note:  either(found.PublicNote, ""), Received: lang.dayOf(found.Received, found.zone)}
		if found.Ended != nil {
			shown.Ended = lang.dayOf(*found.Ended, found.zone)
		}
		p.writePage(w, http.StatusOK, lang, "receipt", shown)
	}
}

// sentence is the state by which the page says what becomes of the request: of one whose work was cancelled nobody says that it is worked
// on.
func (s shownRequest) sentence() string {
	if s.waits {
		return "cancelled"
	}
	return s.Status
}

// dayOf writes the day of a time in the form of records.
func (l *language) dayOf(text string, zone *time.Location) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text
	}
	return l.day(at.In(zone))
}

// findReceipt finds the request of a receipt.
func (p *publicDoor) findReceipt(ctx context.Context, token string) (found shownRequest, err error) {
	if !isToken(token) {
		return found, errNothingHere
	}
	hash := sha256.Sum256([]byte(token))
	of, err := p.lookUp(ctx, `SELECT organization_id::text, id::text FROM request_of_receipt($1)`, hash[:])
	if err != nil {
		return found, err
	}
	err = p.organizations.open(ctx, of.organization, func(ctx context.Context) error {
		found, err = p.readReceipt(ctx, of.id)
		return err
	})
	return found, err
}

func (p *publicDoor) readReceipt(ctx context.Context, id string) (found shownRequest, err error) {
	var received time.Time
	var ended *time.Time
	var work string
	err = p.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT r.number, coalesce(o.status, r.status), coalesce(o.work_order_state, r.work_order_state), r.public_note,
				r.created_at, r.ended_at
			FROM request r
			LEFT JOIN request o ON o.organization_id = r.organization_id AND o.id = r.duplicate_of_id
			WHERE r.organization_id = current_organization() AND r.id = $1`, id).Scan(&found.Number, &found.Status, &work, &found.PublicNote,
			&received, &ended)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return found, errNothingHere
	}
	found.waits = found.Status == accepted && work == workCancelled
	found.Received, found.Ended, found.zone = *instant(&received), instant(ended), principal.From(ctx).Calendar().Zone()
	return found, postgres.Fault(err, nil)
}
