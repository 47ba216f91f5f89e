package users

import (
	"context"
	"strings"
	"time"
	_ "time/tzdata" // time zones are checked against the same list on every machine

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource"
)

const (
	administrator = "administrator"

	active    = "active"
	suspended = "suspended"
	removed   = "removed"
)

// User is a person of the organization. Users are never deleted from the database: records that a removed user has changed still name
// them, until the organization's contact_retention_days are over (forget.go). Removed users stay in lists, so that mirrors learn of the
// removal; status=invited,active,suspended leaves them out.
type User struct {
	resource.Record
	Email string `json:"email" required:"true" maxLength:"254" format:"email" pattern:"^[^@\\s<>\"]+@[^@\\s<>\"]+$" patternDescription:"an e-mail address such as name@example.ca" unique:"true" filter:"equals" sort:"true" search:"code" doc:"What the user signs in with; kept in lower case." example:"anne.tremblay@riviere-claire.ca"`
	Name  string `json:"name" required:"true" maxLength:"200" filter:"equals" sort:"index" search:"name" doc:"The user's full name." example:"Anne Tremblay"`
	Role  string `json:"role" default:"viewer" enum:"administrator,manager,technician,viewer,requester" filter:"equals" sort:"true" doc:"What the user may do. An API key can never create or make an administrator." example:"technician"`

	Status string `json:"status" default:"invited" enum:"invited,active,suspended,removed" filter:"equals" sort:"true" doc:"invited → active, removed; active ↔ suspended; active, suspended → removed; removed → invited, active. DELETE makes it removed; only active users can sign in. Suspending or removing a user turns the API keys they created inactive. When contact_retention_days are over after the removal, name, e-mail and other personal fields are erased, here and wherever else they stand; the name is private then." example:"active"`

	JobTitle       *string `json:"job_title" maxLength:"200" filter:"equals" sort:"true" doc:"The user's position." example:"Chef d'équipe, bâtiments"`
	Department     *string `json:"department" maxLength:"200" filter:"equals" sort:"true" doc:"Where in the organization the user works." example:"Travaux publics"`
	Phone          *string `json:"phone" maxLength:"50" doc:"Telephone number, as people write it." example:"+1 418 555-0142 poste 12"`
	EmployeeNumber *string `json:"employee_number" maxLength:"50" unique:"true" filter:"equals" sort:"true" search:"code" doc:"The number in the payroll; unique in the organization." example:"E-1042"`
	Locale         string  `json:"locale" default:"en-CA" enum:"en-CA,fr-CA" filter:"equals" doc:"The language the user reads." example:"fr-CA"`
	TimeZone       string  `json:"time_zone" default:"America/Toronto" maxLength:"64" filter:"equals" doc:"IANA name of the time zone the user works in." example:"America/Halifax"`
}

func (p people) users() resource.Definition[User] {
	return resource.Definition[User]{
		Collection: "users", Table: "user_account", NaturalKey: "email",
		Transitions: resource.Transitions{Field: "status", Ended: []string{removed}, From: map[string][]string{
			"invited": {active, removed},
			active:    {suspended, removed},
			suspended: {active, removed},
			removed:   {"invited", active}, // a user who returns has the same id
		}},
		SoftDelete: func(u *User) { u.Status = removed },
		Events: map[string]resource.Emits[User]{
			"user.deleted": resource.WhenUpdated(func(before, after *User) bool { return before.Status != removed && after.Status == removed }),
		},
		BeforeWrite: func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[User]) error {
			for _, c := range changes {
				c.After.Email = strings.ToLower(c.After.Email)
				c.After.checkTimeZone(c.FieldError)
				refuseAdministratorByKey(ctx, c)
			}
			return keepAnAdministrator(ctx, tx, changes)
		},
		AfterWrite: func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[User]) error {
			if err := forgetSecrets(ctx, tx, changes); err != nil {
				return err
			}
			return p.deactivateKeys(ctx, changes)
		},
	}
}

// checkTimeZone accepts the names of the IANA database. Go also accepts "Local", which is none.
func (u *User) checkTimeZone(fail func(field, format string, args ...any)) {
	if _, err := time.LoadLocation(u.TimeZone); err != nil || u.TimeZone == "Local" || u.TimeZone == "" {
		fail("time_zone", "must be the IANA name of a time zone, such as America/Toronto")
	}
}
