module ams.internal/clients/go

go 1.26

require (
	github.com/go-json-experiment/json v1.27.2
	github.com/oapi-codegen/nullable v1.1.0
)
