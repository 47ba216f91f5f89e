// Package principal carries the identity of a request between processes in one signed header: organization, actor, scopes, features,
// region. Services refuse requests without it.
package principal

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ams.internal/libs/calendar"
	"ams.internal/libs/seal"
)

// Header is the name of the signed header. The gateway strips every inbound header of this family.
const Header = "X-Ams-Principal"

// Lifetime is how long a signed principal is accepted after it was signed.
const Lifetime = 30 * time.Second

// Principal is the organization, the actor and what the actor may do.
type Principal struct {
	OrganizationID string `json:"org"`
	Cell           string `json:"cell,omitempty"` // the database that has the organization's data; empty means First
	Currency       string `json:"cur"`            // ISO 4217, the organization's
	TimeZone       string `json:"tz,omitempty"`   // IANA, the organization's; calendar.DefaultTimeZone where it is empty
	FiscalYearEnd  int    `json:"fye,omitempty"`  // the month in which the organization's fiscal year ends; 12 where it is 0
	Actor          Actor  `json:"act"`

	RenewalBasis          string    `json:"rnb,omitempty"` // what renewals of the organization are due by: RenewalTyped where it is empty
	RenewalBasisChangedOn []string  `json:"rnc,omitempty"` // the days from which on it had its other value, in the order of time
	FCIBands              []float64 `json:"fci,omitempty"` // the upper ends of its FCI grades good, fair and poor; nil: the usual ones

	Scopes       []string `json:"scp"`           // "assets:read", or "*:*"
	Features     []string `json:"fea"`           // plan features: "api_access", "los", "infrastructure", "projects", "maintenance", "planning", "accounting"
	StorageLimit int64    `json:"sto,omitempty"` // the bytes of documents that the organization may keep, by its plan and add-ons
	Region       string   `json:"reg"`           // the region that processes the request
	Pinned       bool     `json:"pin,omitempty"` // the caller chose that region: no part of the request may be processed in another
	RequestID    string   `json:"rid"`
	Origin       string   `json:"ori"` // "api", "import" or "console"
	Address      string   `json:"adr"` // of the client, for history and the audit trail
	ExpiresAt    int64    `json:"exp"` // Unix milliseconds, set by Sign
}

// First is the name of the cell that AMS_DATABASE_URL leads to. It has the data of all organizations until there is another cell.
const First = "first"

// CellName is the principal's cell by its name.
func (p Principal) CellName() string {
	if p.Cell == "" {
		return First
	}
	return p.Cell
}

// Actor is who acts: an API key, a user, or one of our own services. It is shown in created_by, history and events.
type Actor struct {
	Type string `json:"type"` // "api_key", "user" or "service"
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Allows says whether scope ("assets:read") is among the principal's scopes.
func (p Principal) Allows(scope string) bool {
	return slices.Contains(p.Scopes, "*:*") || slices.Contains(p.Scopes, scope)
}

// Has says whether the organization's plan includes feature. The empty feature needs none.
func (p Principal) Has(feature string) bool {
	return feature == "" || slices.Contains(p.Features, feature)
}

// Calendar has the organization's days and fiscal years.
func (p Principal) Calendar() calendar.Calendar {
	return calendar.Calendar{TimeZone: p.TimeZone, FiscalYearEndMonth: p.FiscalYearEnd}
}

// What renewals are due by in needs and FCIs: by the years that were typed alone, or else at the ends of lives.
const (
	RenewalTyped       = "typed"
	RenewalTypedOrLife = "typed_or_life"
)

// RenewalBasisOn is what the organization's renewals were due by on a day; today's of days to come.
func (p Principal) RenewalBasisOn(day string) string {
	byLife := p.RenewalBasis == RenewalTypedOrLife
	for _, changed := range p.RenewalBasisChangedOn {
		if day < changed {
			byLife = !byLife
		}
	}
	if byLife {
		return RenewalTypedOrLife
	}
	return RenewalTyped
}

// Pin is the region that all calls for the principal must stay in; empty where any region may be used.
func (p Principal) Pin() string {
	if p.Pinned {
		return p.Region
	}
	return ""
}

// Signer signs with its first secret and verifies with all of them, so that secrets can be rotated.
type Signer struct{ secrets [][]byte }

// ErrInvalid is the error of Verify for a header that is missing, altered, expired or signed with another secret.
var ErrInvalid = errors.New("principal refused")

// NewSigner takes the secrets, the one that signs first. Each must have at least 32 characters.
func NewSigner(secrets ...string) (*Signer, error) {
	if len(secrets) == 0 {
		return nil, errors.New("principal: no secret given")
	}
	s := &Signer{}
	for _, secret := range secrets {
		if len(secret) < 32 {
			return nil, errors.New("principal: a secret must have at least 32 characters")
		}
		s.secrets = append(s.secrets, []byte(secret))
	}
	return s, nil
}

// Sign gives the header's value, valid for Lifetime.
func (s *Signer) Sign(p Principal) string { return s.SignFor(p, Lifetime) }

// SignFor is Sign with another lifetime.
func (s *Signer) SignFor(p Principal, lifetime time.Duration) string {
	p.ExpiresAt = time.Now().Add(lifetime).UnixMilli()
	payload, err := json.Marshal(p)
	if err != nil { // strings and integers only: cannot fail
		panic(err)
	}
	encoded := base64.RawURLEncoding.EncodeToString(payload)
	return encoded + "." + base64.RawURLEncoding.EncodeToString(digest(s.secrets[0], encoded))
}

// Verify gives the principal of a header's value, or an error that wraps ErrInvalid.
func (s *Signer) Verify(value string) (Principal, error) {
	encoded, signature, found := strings.Cut(value, ".")
	if !found {
		return Principal{}, fmt.Errorf("%w: not a signed principal", ErrInvalid)
	}
	given, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil {
		return Principal{}, fmt.Errorf("%w: signature is not base64", ErrInvalid)
	}
	if !slices.ContainsFunc(s.secrets, func(secret []byte) bool { return hmac.Equal(given, digest(secret, encoded)) }) {
		return Principal{}, fmt.Errorf("%w: signature does not match", ErrInvalid)
	}
	var p Principal
	payload, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return Principal{}, fmt.Errorf("%w: payload is not base64", ErrInvalid)
	}
	if err := json.Unmarshal(payload, &p); err != nil {
		return Principal{}, fmt.Errorf("%w: payload is not JSON", ErrInvalid)
	}
	if time.Now().UnixMilli() >= p.ExpiresAt {
		return Principal{}, fmt.Errorf("%w: expired", ErrInvalid)
	}
	return p, nil
}

func digest(secret []byte, encoded string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(encoded))
	return mac.Sum(nil)
}

// Derive makes keys of another purpose of the same secrets, for what one process seals and another opens.
func (s *Signer) Derive(purpose string) seal.Keys { return seal.Derive(s.secrets, nil, purpose) }

type contextKey struct{}

// Into gives a context that carries p. A principal that does not say its cell has that of ctx: work that goes through the organizations of
// one cell stays in it.
func Into(ctx context.Context, p Principal) context.Context {
	if p.Cell == "" {
		p.Cell = From(ctx).Cell
	}
	return context.WithValue(ctx, contextKey{}, p)
}

// From gives the principal of the request. The zero Principal, which may do nothing, where there is none.
func From(ctx context.Context) Principal {
	p, _ := ctx.Value(contextKey{}).(Principal)
	return p
}
