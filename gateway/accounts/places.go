package accounts

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/gateway/keys"
	"ams.internal/gateway/ratelimit"
	contract "ams.internal/libs/domain/contracts/gateway"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

// longestPlace is how long a page may have its place.
const longestPlace = 15 * time.Minute

// places are those of organizations, for pages of the settings screens. A page has its place while its request for one lasts: it ends with
// the page, and with the program that makes it.
type places struct {
	db      *postgres.DB
	limiter *ratelimit.Limiter
	ending  chan struct{} // is closed when the gateway ends
}

// hold takes a place for a page of a person, and has it until the caller hangs up.
func (h *places) hold(w http.ResponseWriter, r *http.Request, p principal.Principal) {
	refuse := func(err error) {
		e := *fault.From(err)
		e.Request = p.RequestID
		transport.WriteFault(w, r.Header["Accept"], &e)
	}
	if as := role(p.Scopes[0]); p.Origin != "console" || as != roleAdministrator && as != roleMember {
		refuse(fault.Forbidden("not_allowed", "This caller may not do this."))
		return
	}
	var in contract.PlaceRequest
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<10)).Decode(&in); err != nil {
		refuse(fault.Invalid("invalid_json", "The body must be an object with stream."))
		return
	}
	k, err := h.screensOf(principal.Into(r.Context(), p), p.OrganizationID)
	if err != nil {
		refuse(postgres.Fault(err, nil))
		return
	}
	kind := ratelimit.Plain
	if in.Stream {
		kind = ratelimit.Stream
	}
	if window, made := h.limiter.Admit(r.Context(), k, kind); made != ratelimit.Admitted {
		refuse(h.limiter.Refusal(k, window, made))
		return
	}
	defer h.limiter.Release(k, kind)
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush() // else the caller has hung up
	longest := time.NewTimer(longestPlace)
	defer longest.Stop()
	select {
	case <-r.Context().Done():
	case <-longest.C:
	case <-h.ending:
	}
}

// screensOf gives the settings screens of an organization as the limiter knows callers. They are counted, but no count of a minute refuses
// them: who revokes a key that sends too much must get in.
func (h *places) screensOf(ctx context.Context, organization string) (*keys.Key, error) {
	var of keys.Ceilings
	err := h.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		found, err := readOrganization(ctx, tx, organization)
		of = found.Limits
		return err
	})
	of.RequestsPerMinute = math.MaxInt32
	return &keys.Key{ID: "settings:" + organization, Organization: organization, RateLimit: math.MaxInt32, Ceilings: of}, err
}
