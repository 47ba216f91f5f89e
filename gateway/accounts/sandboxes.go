package accounts

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/gateway/keys"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

// sandbox is the organization in which another one, the live one, tries things out. Its keys are test keys.
type sandbox struct {
	ID        string        `json:"id"`
	SandboxOf string        `json:"sandbox_of"`
	Name      string        `json:"name"`
	Limits    keys.Ceilings `json:"limits"`
	CreatedAt string        `json:"created_at"`
	Emptying  *emptying     `json:"emptying"` // the last one; nil: it was never emptied
}

// emptying is one emptying of a sandbox. While it is not finished, the sandbox's keys are refused.
type emptying struct {
	RequestedAt string  `json:"requested_at"`
	Deleted     int64   `json:"deleted"` // rows so far, apart from those that went with others
	FinishedAt  *string `json:"finished_at"`
}

// sandboxes are the operations on the sandboxes of organizations. Each is named by its live organization.
type sandboxes struct {
	db      *postgres.DB
	cleaner *sandboxCleaner
}

func (s *sandboxes) mount(api *transport.API) {
	const path = "/internal/organizations/{id}/sandbox"
	transport.Get(api, transport.Operation{Path: path, ID: "get_sandbox"}, s.getSandbox)
	transport.Post(api, transport.Operation{Path: path, ID: "create_sandbox", Status: http.StatusCreated}, s.createSandbox)
	transport.Post(api, transport.Operation{Path: path + "/empty", ID: "empty_sandbox", Status: http.StatusAccepted}, s.emptySandbox)
}

// getSandbox gives the sandbox of an organization; one that was never made is a 404 with the code no_sandbox.
func (s *sandboxes) getSandbox(ctx context.Context, in byOrganization) (sandbox, error) {
	ctx, err := authorize(ctx, in.ID, rolePlatformAdmin, roleService, roleAdministrator)
	if err != nil {
		return sandbox{}, err
	}
	if err := s.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := readLive(ctx, tx, in.ID)
		return err
	}); err != nil {
		return sandbox{}, err
	}
	return s.read(ctx, in.ID)
}

// createSandbox makes the sandbox of an organization. There is one at most.
func (s *sandboxes) createSandbox(ctx context.Context, in byOrganization) (sandbox, error) {
	ctx, err := authorize(ctx, in.ID, rolePlatformAdmin, roleAdministrator)
	if err != nil {
		return sandbox{}, err
	}
	err = s.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		live, err := readLive(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		var made bool
		if err := tx.QueryRow(ctx, `SELECT create_sandbox()`).Scan(&made); err != nil {
			return postgres.Fault(err, nil)
		}
		if !made {
			return fault.New(fault.KindConflict, "sandbox_exists", "The organization has a sandbox already: it has one at most.")
		}
		return audit(ctx, tx, "sandbox.created", subject{"organization", live.ID, live.Name}, map[string]any{})
	})
	if err != nil {
		return sandbox{}, err
	}
	return s.read(ctx, in.ID)
}

// emptySandbox has all records of a sandbox deleted, in all services. It answers at once; the deletion goes on until it is done, whatever
// is restarted meanwhile. A sandbox that is being emptied goes on being emptied.
func (s *sandboxes) emptySandbox(ctx context.Context, in byOrganization) (sandbox, error) {
	ctx, err := authorize(ctx, in.ID, rolePlatformAdmin, roleAdministrator)
	if err != nil {
		return sandbox{}, err
	}
	if _, err := s.getSandbox(ctx, in); err != nil {
		return sandbox{}, err
	}
	err = s.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		live, err := readLive(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		begun, err := tx.Exec(ctx, `INSERT INTO sandbox_emptying AS e (organization_id) VALUES ($1)
			ON CONFLICT (organization_id) DO UPDATE SET requested_at = now(), deleted = 0, finished_at = NULL
			WHERE e.finished_at IS NOT NULL`, in.ID)
		if err != nil || begun.RowsAffected() == 0 {
			return postgres.Fault(err, nil)
		}
		return audit(ctx, tx, "sandbox.emptying", subject{"organization", live.ID, live.Name}, map[string]any{})
	})
	if err != nil {
		return sandbox{}, err
	}
	s.cleaner.wake()
	return s.read(ctx, in.ID)
}

// readLive reads the organization of the transaction, which must not be a sandbox.
func readLive(ctx context.Context, tx pgx.Tx, id string) (organization, error) {
	found, err := readOrganization(ctx, tx, id)
	if err == nil && found.SandboxOf != nil {
		return found, fault.Conflict("sandbox", "id", id, "This is a sandbox itself, that of %s.", *found.SandboxOf)
	}
	return found, err
}

// read gives the sandbox of an organization, whose context it is: the state of its emptying stands there, all else in the sandbox.
func (s *sandboxes) read(ctx context.Context, live string) (found sandbox, err error) {
	err = s.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var last emptying
		var requestedAt time.Time
		var finished *time.Time
		err := tx.QueryRow(ctx, `SELECT requested_at, deleted, finished_at FROM sandbox_emptying WHERE organization_id = $1`, live).
			Scan(&requestedAt, &last.Deleted, &finished)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		last.RequestedAt = keys.Timestamp(requestedAt)
		if finished != nil {
			text := keys.Timestamp(*finished)
			last.FinishedAt = &text
		}
		found.Emptying = &last
		return err
	})
	if err != nil {
		return found, postgres.Fault(err, nil)
	}
	err = s.db.Read(within(ctx, principal.SandboxOf(live)), func(ctx context.Context, tx pgx.Tx) error {
		of, err := readOrganization(ctx, tx, principal.SandboxOf(live))
		found.ID, found.SandboxOf, found.Name, found.Limits, found.CreatedAt = of.ID, live, of.Name, of.Limits, of.CreatedAt
		return err
	})
	if err != nil && fault.From(err).Kind == fault.KindNotFound {
		return found, fault.New(fault.KindNotFound, "no_sandbox", "The organization has no sandbox yet.")
	}
	return found, err
}

// within gives a context in which the database shows an organization.
func within(ctx context.Context, organization string) context.Context {
	p := principal.From(ctx)
	p.OrganizationID = organization
	return principal.Into(ctx, p)
}
