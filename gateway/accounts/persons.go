package accounts

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/users"
	"ams.internal/libs/fault"
	"ams.internal/libs/persons"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/transport"
	"ams.internal/libs/work"
)

const (
	// personCallTime is after how long a call of the operator's begins no further step.
	personCallTime = 5 * time.Second
	// personCallDeadline leaves room for the step that was begun before.
	personCallDeadline = personCallTime + persons.Deadline + 10*time.Second
	// forgetStart and forgetInterval are when removed users are looked for whose time is over.
	forgetStart, forgetInterval = time.Minute, time.Hour
)

// contactServices store what people who are no users left to be reached.
var contactServices = []string{"requests", "workorders"}

// personKeeping erases and exports what is stored about a person, in all services: for the operator, and for removed users when their
// organization's contact_retention_days are over. It keeps no list of what is done: each step may be repeated, and the record of the user,
// which comes last, says that all others are done.
type personKeeping struct {
	db     *postgres.DB
	client *reference.Client
	log    *slog.Logger
}

func (k *personKeeping) mount(api *transport.API) {
	const path = "/internal/organizations/{id}/persons/"
	transport.Post(api, transport.Operation{Path: path + "export", ID: "export_person", Deadline: personCallDeadline}, k.export)
	transport.Post(api, transport.Operation{Path: path + "forget", ID: "forget_person", Deadline: personCallDeadline}, k.forget)
}

type personQuery struct {
	byOrganization
	UserID *string `json:"user_id" format:"uuid"`
	Email  *string `json:"email" maxLength:"254"`
	After  string  `json:"after" maxLength:"1200"`
}

// storedPart is what one service has, or had, about a person, by table.
type storedPart struct {
	OrganizationID string                       `json:"organization_id"`
	Service        string                       `json:"service"`
	Rows           map[string]int64             `json:"rows"`
	Records        map[string][]json.RawMessage `json:"records,omitempty"`
}

// personResult is what one call did or found; the caller goes on with Next until that is empty.
type personResult struct {
	UserID *string         `json:"user_id"` // null: the person is no user
	Record json.RawMessage `json:"record,omitempty"`
	Data   []storedPart    `json:"data"`
	Next   string          `json:"next"`
}

// person is who is looked for.
type person struct {
	id, email, status string          // empty where there is none
	record            json.RawMessage // of a user
}

func (k *personKeeping) export(ctx context.Context, in personQuery) (personResult, error) {
	return k.serve(ctx, in, "person.exported", k.exportStep)
}

func (k *personKeeping) forget(ctx context.Context, in personQuery) (personResult, error) {
	return k.serve(ctx, in, "person.forgotten", k.forgetStep)
}

// serve does some steps for the operator. An Administrator does not: who may see everything that a colleague ever did is decided outside
// of the product.
func (k *personKeeping) serve(ctx context.Context, in personQuery, action string, do doStep) (result personResult, err error) {
	if ctx, err = authorize(ctx, in.ID, rolePlatformAdmin); err != nil {
		return result, err
	}
	if (in.UserID == nil) == (in.Email == nil) {
		return result, fault.InvalidFields(fault.Field{Field: "user_id", Message: "name the person by one of user_id and email"})
	}
	of, err := k.organization(ctx, in.ID)
	if err != nil {
		return result, err
	}
	who, err := k.find(ctx, of, in)
	if err != nil {
		return result, err
	}
	if action == "person.forgotten" && who.id != "" && who.status != "removed" {
		return result, fault.Conflict("user_not_removed", "user_id", who.id,
			"The user %s is %s: remove the user first (DELETE /v1/users/%[1]s), then forget the person.", who.id, who.status)
	}
	if who.id != "" {
		result.UserID = &who.id
		if in.After == "" && action == "person.exported" {
			result.Record = who.record
		}
	}
	result.Data, result.Next, err = k.walk(ctx, of, who, action, in.After, do)
	return result, err
}

func (k *personKeeping) organization(ctx context.Context, id string) (of organization, err error) {
	err = k.db.Read(within(ctx, id), func(ctx context.Context, tx pgx.Tx) (err error) {
		of, err = readOrganization(ctx, tx, id)
		return err
	})
	return of, postgres.Fault(err, nil)
}

// asGateway gives a context in which services are called about an organization.
func asGateway(ctx context.Context, of organization) context.Context {
	p := principal.From(of.within(ctx))
	p.Actor = principal.Actor{Type: "service", ID: "gateway", Name: "gateway"}
	p.Scopes = []string{"users:read", "requests:read", "work_orders:read"}
	return principal.Into(ctx, p)
}

// find looks a user up. An e-mail address that no user has may be that of somebody who requested something.
func (k *personKeeping) find(ctx context.Context, of organization, in personQuery) (who person, err error) {
	if in.Email != nil {
		who.email = *in.Email
	}
	found, err := contract.FindPerson.Call(asGateway(ctx, of), k.client, contract.PersonRequest{UserID: in.UserID, Email: in.Email})
	if err != nil {
		if in.Email != nil && fault.From(err).Kind == fault.KindNotFound {
			return who, nil
		}
		return who, err
	}
	who.id, who.status, who.record = found.ID, found.Status, found.Record
	if !found.Erased {
		who.email = found.Email
	}
	return who, nil
}

// step is one part of what is done: what the service has in an organization.
type step struct {
	what    string // contacts, names, record or trail
	service string
	of      organization
}

type doStep func(ctx context.Context, s step, who person, after string) (persons.Part, error)

// steps are in the order in which nothing that is erased can be written anew from what is not: names of users are last but for events,
// which get what others have sent; the gateway's own come when all services have done theirs, and the record of the user last of all.
// Members have keys in the sandbox too.
func (k *personKeeping) steps(ctx context.Context, of organization, who person) (steps []step, err error) {
	all := []organization{of}
	if id := principal.SandboxOf(of.ID); id != "" {
		sandbox, err := k.organization(ctx, id)
		if err == nil {
			all = append(all, sandbox)
		} else if fault.From(err).Kind != fault.KindNotFound {
			return nil, err
		}
	}
	add := func(what string, services ...string) {
		for _, service := range services {
			for _, each := range all {
				steps = append(steps, step{what, service, each})
			}
		}
	}
	if who.email != "" {
		add("contacts", contactServices...)
	}
	if who.id != "" {
		others := slices.DeleteFunc(slices.Clone(recorders), func(name string) bool { return name == "users" || name == "webhooks" })
		add("names", append(others, "console", "users", "webhooks", "gateway")...)
	}
	steps = append(steps, step{"trail", "gateway", of})
	if who.id != "" {
		steps = append(steps, step{"record", "users", of})
	}
	return steps, nil
}

// walk does the steps behind after, "<step> <where the step was>", for a few seconds.
func (k *personKeeping) walk(ctx context.Context, of organization, who person, action, after string,
	do doStep) ([]storedPart, string, error) {
	data := []storedPart{}
	steps, err := k.steps(ctx, of, who)
	if err != nil {
		return nil, "", err
	}
	number, inside, _ := strings.Cut(after, " ")
	n := 0
	if after != "" {
		if n, err = strconv.Atoi(number); err != nil || n < 0 || n > len(steps) {
			return nil, "", fault.InvalidFields(fault.Field{Field: "after", Message: "must be the next of the call before"})
		}
	}
	for begin := time.Now(); n < len(steps); {
		if time.Since(begin) >= personCallTime {
			return data, fmt.Sprintf("%d %s", n, inside), nil
		}
		s := steps[n]
		var part persons.Part
		if s.what == "trail" {
			err = k.note(ctx, of, who, action)
		} else {
			part, err = do(asGateway(ctx, s.of), s, who, inside)
		}
		if err != nil {
			return nil, "", err
		}
		if len(part.Rows) > 0 {
			data = append(data, storedPart{s.of.ID, s.service, part.Rows, part.Records})
		}
		if inside = part.Next; inside == "" {
			n++
		}
	}
	return data, "", nil
}

func (k *personKeeping) forgetStep(ctx context.Context, s step, who person, after string) (part persons.Part, err error) {
	switch {
	case s.what == "contacts":
		return persons.EraseContact.Of(s.service).Call(ctx, k.client, persons.ContactQuery{Email: who.email, After: after})
	case s.what == "record":
		done, err := contract.Forget.Call(ctx, k.client, contract.UserRequest{UserID: who.id})
		if done.Rows > 0 {
			part.Rows = map[string]int64{"user_account": done.Rows}
		}
		return part, err
	case s.service == "gateway":
		return persons.Erase(firstCell(ctx), k.db, persons.Query{ID: who.id, After: after})
	}
	return persons.ErasePerson.Of(s.service).Call(ctx, k.client, persons.Query{ID: who.id, After: after})
}

func (k *personKeeping) exportStep(ctx context.Context, s step, who person, after string) (part persons.Part, err error) {
	switch {
	case s.what == "contacts":
		return persons.ExportContact.Of(s.service).Call(ctx, k.client, persons.ContactQuery{Email: who.email, After: after})
	case s.what == "record":
		return part, nil // it is in the result
	case s.service == "gateway":
		return persons.Export(firstCell(ctx), k.db, persons.Query{ID: who.id, After: after})
	}
	return persons.ExportPerson.Of(s.service).Call(ctx, k.client, persons.Query{ID: who.id, After: after})
}

// firstCell gives a context for this schema, which is in the first cell whatever the organization's is.
func firstCell(ctx context.Context) context.Context {
	p := principal.From(ctx)
	p.Cell = ""
	return principal.Into(ctx, p)
}

// note writes into the trail that it was done, without the person's data.
func (k *personKeeping) note(ctx context.Context, of organization, who person, action string) error {
	about := subject{"contact", "", "private"}
	if who.id != "" {
		about = subject{"user", who.id, "private"}
	}
	err := k.db.Write(within(firstCell(ctx), of.ID), func(ctx context.Context, tx pgx.Tx) error {
		return audit(ctx, tx, action, about, map[string]any{})
	})
	return postgres.Fault(err, nil)
}

// forgetRemoved forgets the users of all organizations who were removed contact_retention_days before now, or earlier.
func (k *personKeeping) forgetRemoved(now func() time.Time) work.Sweep {
	return work.Sweep{Name: "forgetting removed users", DB: k.db, Log: k.log, Organizations: k.organizations,
		Start: forgetStart, Interval: forgetInterval,
		Do: func(ctx context.Context) error { return k.forgetIn(ctx, principal.From(ctx).OrganizationID, now()) }}
}

func (k *personKeeping) organizations(ctx context.Context) ([]principal.Principal, error) {
	rows, err := k.db.Pool().Query(ctx, `SELECT organization_id::text FROM list_organizations(0, NULL) WHERE organization_id IS NOT NULL`)
	if err != nil {
		return nil, postgres.Fault(err, nil)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p principal.Principal, err error) {
		p.Actor = principal.Actor{Type: "service", ID: "gateway", Name: "gateway"}
		return p, row.Scan(&p.OrganizationID)
	})
	return all, postgres.Fault(err, nil)
}

func (k *personKeeping) forgetIn(ctx context.Context, id string, now time.Time) error {
	of, err := k.organization(ctx, id)
	if err != nil || of.SuspendedAt != nil {
		return err
	}
	before := now.AddDate(0, 0, -of.ContactRetentionDays).UTC().Format(time.RFC3339)
	for {
		found, err := contract.Forgettable.Call(asGateway(ctx, of), k.client, contract.ForgettableRequest{Before: before})
		if err != nil || len(found.IDs) == 0 {
			return err
		}
		for _, user := range found.IDs {
			who := person{id: user}
			for after, again := "", true; again; again = after != "" {
				if _, after, err = k.walk(within(ctx, of.ID), of, who, "person.forgotten", after, k.forgetStep); err != nil {
					return err
				}
			}
			k.log.InfoContext(ctx, "a removed user was forgotten", "organization", of.ID, "user", user)
		}
	}
}
