package webhooks

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/seal"
)

// sealer encrypts what must not be readable in the database, a dump or a log: the secrets that calls are signed with, and the
// values of an endpoint's own headers.
type sealer struct{ keys seal.Keys }

// sealed1 is the first byte of everything that is sealed. Another format would have another one.
const sealed1 = 1

// newSealer makes a sealer of root keys with at least 32 characters each.
func newSealer(roots []string) (*sealer, error) {
	if len(roots) == 0 {
		return nil, errors.New("AMS_WEBHOOK_SECRETS is not set: give one root key of at least 32 characters")
	}
	for _, root := range roots {
		if len(root) < 32 {
			return nil, errors.New("AMS_WEBHOOK_SECRETS: each root key must have at least 32 characters")
		}
	}
	return &sealer{seal.Derive(roots, nil, "webhook endpoints")}, nil
}

// seal encrypts plain. about says what it belongs to: it can be opened with the same about only.
func (s *sealer) seal(plain, about string) ([]byte, error) {
	if plain == "" {
		return nil, errors.New("nothing to seal: an empty secret protects nothing")
	}
	return append([]byte{sealed1}, s.keys.Seal([]byte(plain), []byte(about))...), nil
}

// open decrypts what was sealed.
func (s *sealer) open(sealed []byte, about string) (string, error) {
	if len(sealed) == 0 || sealed[0] != sealed1 || len(sealed) < 1+seal.Overhead {
		return "", fmt.Errorf("the %s is not sealed as expected", about)
	}
	plain, opened := s.keys.Open(sealed[1:], []byte(about))
	if !opened {
		return "", fmt.Errorf("no key of AMS_WEBHOOK_SECRETS opens the %s: is a former root key missing?", about)
	}
	if len(plain) == 0 {
		return "", fmt.Errorf("the %s is empty", about)
	}
	return string(plain), nil
}

func secretOf(endpointID string) string  { return "secret of endpoint " + endpointID }
func headersOf(endpointID string) string { return "headers of endpoint " + endpointID }

// secretPrefix is what secrets begin with, by Standard Webhooks.
const secretPrefix = "whsec_"

// newSecret makes a secret in the format of Standard Webhooks: 32 random bytes.
func newSecret() string {
	random := make([]byte, 32)
	_, _ = rand.Read(random)
	return secretPrefix + base64.StdEncoding.EncodeToString(random)
}

// secretProblem says what is wrong with a secret that a caller has given, or "". Standard Webhooks has them of 24 to 64 bytes. The
// secret itself is never in it.
func secretProblem(secret string) string {
	encoded, prefixed := strings.CutPrefix(secret, secretPrefix)
	decoded, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if !prefixed || err != nil || strings.ContainsAny(encoded, "\r\n") || len(decoded) < 24 || len(decoded) > 64 {
		return "must be whsec_ and 24 to 64 random bytes in base64, such as openssl rand -base64 32 gives; leave it out to have one made"
	}
	return ""
}

// addSecret stores the secret that was given for an endpoint, or where that is "" one that it makes. The first secret
// has the endpoint's own id.
func (s *sealer) addSecret(ctx context.Context, tx pgx.Tx, endpointID, secretID, given string) error {
	if given == "" {
		given = newSecret()
	}
	sealed, err := s.seal(given, secretOf(endpointID))
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO webhook_endpoint_secret (organization_id, endpoint_id, id, sealed, created_at)
		VALUES ($1, $2, $3, $4, clock_timestamp())`,
		principal.From(ctx).OrganizationID, endpointID, secretID, sealed)
	return err
}

// secrets gives those of some secrets that are valid now, by id.
func (s *sealer) secrets(ctx context.Context, tx pgx.Tx, ids []string) (map[string]string, error) {
	rows, err := tx.Query(ctx, `SELECT id::text, endpoint_id::text, sealed FROM webhook_endpoint_secret
		WHERE organization_id = $1 AND id = ANY($2::uuid[]) AND (expires_at IS NULL OR expires_at > now())`,
		principal.From(ctx).OrganizationID, ids)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	var id, endpointID string
	var sealed []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &endpointID, &sealed}, func() (err error) {
		found[id], err = s.open(sealed, secretOf(endpointID))
		return err
	})
	return found, err
}

// liveSecrets gives the secrets that sign calls to an endpoint, the newest first: more than one while a secret is replaced.
func (s *sealer) liveSecrets(ctx context.Context, tx pgx.Tx, endpointID string) ([]string, error) {
	rows, err := tx.Query(ctx, `SELECT sealed FROM webhook_endpoint_secret
		WHERE organization_id = $1 AND endpoint_id = $2 AND (expires_at IS NULL OR expires_at > now()) ORDER BY created_at DESC, id DESC`,
		principal.From(ctx).OrganizationID, endpointID)
	if err != nil {
		return nil, err
	}
	var live []string
	var sealed []byte
	_, err = pgx.ForEachRow(rows, []any{&sealed}, func() error {
		secret, err := s.open(sealed, secretOf(endpointID))
		live = append(live, secret)
		return err
	})
	if err == nil && len(live) == 0 {
		err = fmt.Errorf("endpoint %s has no secret to sign with", endpointID)
	}
	return live, err
}

// openHeaders gives an endpoint's own headers with their values.
func (s *sealer) openHeaders(sealed []byte, endpointID string) (map[string]string, error) {
	headers := map[string]string{}
	if sealed == nil {
		return headers, nil
	}
	plain, err := s.open(sealed, headersOf(endpointID))
	if err != nil {
		return nil, err
	}
	return headers, json.Unmarshal([]byte(plain), &headers)
}

// sealHeaders seals an endpoint's own headers. Without headers it gives nil.
func (s *sealer) sealHeaders(headers map[string]string, endpointID string) ([]byte, error) {
	if len(headers) == 0 {
		return nil, nil
	}
	plain, err := json.Marshal(headers)
	if err != nil {
		return nil, err
	}
	return s.seal(string(plain), headersOf(endpointID))
}

// target reads the target of calls to an endpoint. An endpoint that the organization does not have is a 404.
func (s *sealer) target(ctx context.Context, tx pgx.Tx, endpointID string) (target, error) {
	var to target
	var sealed []byte
	err := tx.QueryRow(ctx, `SELECT url, destination, format, payload, coalesce(ca_certificate, ''), sealed_headers FROM webhook_endpoint
		WHERE organization_id = $1 AND id = $2`, principal.From(ctx).OrganizationID, endpointID).Scan(&to.url, &to.shape.destination,
		&to.shape.format, &to.shape.payload, &to.authorities, &sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return to, fault.NotFound("webhook endpoint", endpointID)
	}
	if err != nil {
		return to, err
	}
	if to.headers, err = s.openHeaders(sealed, endpointID); err != nil {
		return to, err
	}
	to.secrets, err = s.liveSecrets(ctx, tx, endpointID)
	return to, err
}
