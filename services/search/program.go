// The search service finds records of all collections by what people call them. It keeps nothing: it asks the services that own the
// records, all at once, and puts their answers into one order.
package search

import (
	"net/http"

	"ams.internal/libs/reference"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
)

// Program is this service.
var Program = service.Define("search", nil, func(s *service.Service) (http.Handler, error) {
	api := transport.New(s.Signer, s.DB, s.Log)
	newSearcher(reference.NewClient(s.Directory, s.Signer), s.Log).mount(api)
	return api.Handler(), nil
})
