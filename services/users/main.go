// The users service keeps the people of an organization: who they are, what role they have, whether they may sign in.
package main

import (
	"embed"
	"net/http"

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
		people{resource.NewRegistry(api, s.DB, reference.NewClient(s.Directory, s.Signer)), s.DB}.mount()
		return api.Handler(), nil
	})
}

// people is the users of all organizations, and what is asked about them.
type people struct {
	registry *resource.Registry
	db       *postgres.DB
}

func (p people) mount() {
	resource.Mount(p.registry, p.users())
	p.mountSignIn()
	p.mountAdministrators()
}
