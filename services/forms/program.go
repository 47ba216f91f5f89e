// Package forms serves templates of inspection forms, and the forms that were filled in. A failed item becomes a deficiency or a
// work order of the form's subject.
package forms

import (
	"context"
	"embed"
	"net/http"

	"ams.internal/libs/effects"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Program is this service.
var Program = service.Define("forms", migrations, func(s *service.Service) (http.Handler, error) {
	api := transport.New(s.Signer, s.DB, s.Log)
	references := reference.NewClient(s.Directory, s.Signer)
	f := forms{resource.NewRegistry(api, s.DB, references), references}
	f.mount()
	s.PerCell("effects", func(ctx context.Context) { effects.NewSender("forms", s.DB, references, s.Log, recordAnswers).Run(ctx) })
	return api.Handler(), nil
})

// feature is what an organization's plan must include for all of this.
const feature = "maintenance"

// scope is what keys need for templates and responses.
const scope = "forms"

// idParameter is the id of a template or response in a path.
var idParameter = transport.Parameter{Name: "id", In: "path", Required: true, Schema: map[string]any{"type": "string", "format": "uuid"}}

// forms is the resources of this service, and the operations on them.
type forms struct {
	registry   *resource.Registry
	references *reference.Client
}

func (f forms) mount() {
	resource.Mount(f.registry, f.templates())
	resource.Mount(f.registry, f.responses())
	f.mountRevise()
	f.mountSubmit()
	f.mountAmend()
	f.mountEffects()
	f.mountPresets()
}
