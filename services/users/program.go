// Package users serves the users of an organization: their roles, whether they may sign in, their passwords, and their teams.
package users

import (
	"embed"
	"net/http"
	"time"

	"ams.internal/libs/postgres"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Program is this service.
var Program = service.Define("users", migrations, func(s *service.Service) (http.Handler, error) {
	api := transport.New(s.Signer, s.DB, s.Log)
	newPeople(resource.NewRegistry(api, s.DB, reference.NewClient(s.Directory, s.Signer)), s.DB).mount()
	return api.Handler(), nil
})

// people has the operations of the service.
type people struct {
	registry      *resource.Registry
	db            *postgres.DB
	tokenFailures *failureLimiter // invalid tokens of invitations, by address
}

func newPeople(registry *resource.Registry, db *postgres.DB) people {
	return people{registry, db, &failureLimiter{max: maxWrongTokens, window: time.Minute}}
}

func (p people) mount() {
	resource.Mount(p.registry, p.users())
	resource.Mount(p.registry, teams)
	p.mountSignIn()
	p.mountSessions()
	p.mountPasswords()
	p.mountInvitations()
	p.mountAdministrators()
	p.mountForgetting()
}
