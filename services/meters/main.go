// The meters service has meters and their readings.
package main

import (
	"embed"
	"net/http"

	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
)

//go:embed migrations/*.sql
var migrations embed.FS

func main() {
	service.Main("meters", migrations, func(s *service.Service) (http.Handler, error) {
		api := transport.New(s.Signer, s.DB, s.Log)
		resource.NewRegistry(api, s.DB, reference.NewClient(s.Directory, s.Signer))
		return api.Handler(), nil
	})
}
