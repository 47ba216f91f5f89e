// The users service keeps the people of an organization: who they are, what role they have, whether they may sign in.
package main

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

func main() {
	service.Main("users", migrations, func(s *service.Service) (http.Handler, error) {
		api := transport.New(s.Signer, s.DB, s.Log)
		newPeople(resource.NewRegistry(api, s.DB, reference.NewClient(s.Directory, s.Signer)), s.DB).mount()
		return api.Handler(), nil
	})
}

// people is the users of all organizations, and what is asked about them.
type people struct {
	registry *resource.Registry
	db       *postgres.DB
	tokens   *tries // tokens of links that were no good, by address
}

func newPeople(registry *resource.Registry, db *postgres.DB) people {
	return people{registry, db, &tries{most: wrongTokens, window: time.Minute}}
}

func (p people) mount() {
	resource.Mount(p.registry, p.users())
	p.mountSignIn()
	p.mountSessions()
	p.mountPasswords()
	p.mountInvitations()
	p.mountAdministrators()
}
