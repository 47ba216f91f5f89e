package requests

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
)

// openLink is a link as a stranger uses it.
type openLink struct {
	id, token                   string
	name                        string
	nameFR                      *string
	siteID, buildingID, assetID *string
	notice, noticeFR, contact   string
	services                    []*RequestService
}

// service gives the service with a code; nil where the link does not offer it.
func (l *openLink) service(code string) *RequestService {
	for _, s := range l.services {
		if sameCode(s.ServiceCode, code) {
			return s
		}
	}
	return nil
}

// admit counts a request that a stranger sends by a link: for his address, for the link, and for the organization, which says how many it
// takes. The organization of a token that is met for the first time is looked up between.
func (p *publicDoor) admit(ctx context.Context, source, token string) error {
	if err := p.counter.take(ctx, p.limits.address, source); err != nil {
		return err
	}
	if !isToken(token) {
		return errNothingHere
	}
	id, err := p.owner(ctx, token)
	if err != nil {
		return err
	}
	organization, err := p.organizations.find(ctx, id)
	if err != nil {
		return err
	}
	if err := p.counter.take(ctx, linkLimit(organization.PublicSettings), token); err != nil {
		return err
	}
	return p.counter.take(ctx, organizationLimit(organization.PublicSettings), id)
}

// owner gives the organization of a token.
func (p *publicDoor) owner(ctx context.Context, token string) (organization string, err error) {
	if organization = p.owners.of(token); organization != "" {
		return organization, nil
	}
	found, err := p.lookUp(ctx, `SELECT organization_id::text, id::text FROM link_of_token($1)`, token)
	if err != nil {
		return "", err
	}
	p.owners.set(token, found.organization)
	return found.organization, nil
}

// openRecord is a record that a stranger has a token for.
type openRecord struct{ organization, id string }

// lookUp gives the record that a statement finds by what a stranger has, in whatever cell it is.
func (p *publicDoor) lookUp(ctx context.Context, statement string, token any) (openRecord, error) {
	record, _, found, err := postgres.Find(ctx, p.registry.DB, func(ctx context.Context) (r openRecord, found bool, err error) {
		err = p.registry.DB.Pool().QueryRow(ctx, statement, token).Scan(&r.organization, &r.id)
		if errors.Is(err, pgx.ErrNoRows) {
			return r, false, nil
		}
		return r, err == nil, err
	})
	if err == nil && !found {
		err = errNothingHere
	}
	return record, postgres.Fault(err, nil)
}

// openByToken finds a link that works, and does something with it in a context on behalf of its organization: perhaps
// twice, as organizations.open says.
func (p *publicDoor) openByToken(ctx context.Context, token string, do func(ctx context.Context, l *openLink) error) error {
	if !isToken(token) {
		return errNothingHere
	}
	organization, err := p.owner(ctx, token)
	if err != nil {
		return err
	}
	return p.organizations.open(ctx, organization, func(ctx context.Context) error {
		l, err := p.readLink(ctx, token)
		if err != nil {
			return err
		}
		return do(ctx, l)
	})
}

// link finds a link that works.
func (p *publicDoor) link(ctx context.Context, token string) (found *openLink, err error) {
	err = p.openByToken(ctx, token, func(_ context.Context, l *openLink) error {
		found = l
		return nil
	})
	return found, err
}

func (p *publicDoor) readLink(ctx context.Context, token string) (*openLink, error) {
	l := &openLink{token: token}
	err := p.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var codes []string
		if err := tx.QueryRow(ctx, `SELECT id::text, name, name_fr, site_id::text, building_id::text, asset_id::text, service_codes, notice,
			notice_fr, contact
			FROM request_link WHERE organization_id = current_organization() AND token = $1
				AND (expires_on IS NULL OR expires_on >= current_setting('ams.today')::date)`, token).
			Scan(&l.id, &l.name, &l.nameFR, &l.siteID, &l.buildingID, &l.assetID, &codes, &l.notice, &l.noticeFR, &l.contact); err != nil {
			return err
		}
		found, err := readServices(ctx, tx, codes)
		for _, code := range codes {
			if s := found[code]; s != nil {
				l.services = append(l.services, s)
			}
		}
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errNothingHere
	}
	return l, postgres.Fault(err, nil)
}
