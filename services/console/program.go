// Package console serves the settings screens. Administrators sign in there with a browser, manage API keys, webhooks and members,
// and read the audit trail, the usage and the plan. The product has no other user interface.
package console

import (
	"embed"
	"net/http"

	"ams.internal/libs/persons"
	"ams.internal/libs/reference"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Program is this service.
var Program = service.Define("console", migrations, func(s *service.Service) (http.Handler, error) {
	languages, err := loadLanguages()
	if err != nil {
		return nil, err
	}
	c := &console{
		db: s.DB, log: s.Log, languages: languages,
		services: newServices(reference.NewClient(s.Directory, s.Signer), s.Config.Region),
		browsers: newBrowserSigner(s.Config.PrincipalSecrets),
	}
	s.Sweep("session")
	s.Sweep("sign_in_attempt")
	api := transport.New(s.Signer, s.DB, s.Log)
	persons.Mount(api, s.DB) // the gateway, for the operator
	pages := http.NewServeMux()
	pages.Handle("/internal/", api.Handler())
	pages.Handle("/", c.handler())
	return pages, nil
})
