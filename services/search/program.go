// Package search finds records of all collections by their words. It stores nothing: it calls the services that own the records in
// parallel, and merges their results in one order.
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
