package edge

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"ams.internal/gateway/keys"
	"ams.internal/libs/fault"
)

// origin says what the request is part of, as events show it: an import, whose calls name it by the Import-Id header, or
// ordinary work by API.
func origin(header http.Header) (string, error) {
	given := header["Import-Id"]
	if len(given) == 0 {
		return "api", nil
	}
	if id := strings.TrimSpace(given[0]); len(given) > 1 || len(id) != 36 || uuid.Validate(id) != nil {
		return "", fault.InvalidFields(fault.Field{Field: "Import-Id",
			Message: "must be one UUID, the same in all calls of the import, not " + keys.Quote(strings.Join(given, ", "))})
	}
	return "import", nil
}
