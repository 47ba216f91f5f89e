package transport

import (
	"net/http"
	"strconv"
	"time"
)

// Deprecation says that an operation is going to be removed. It stays as it is until then.
type Deprecation struct {
	Since  time.Time // from when on nobody should begin to use it
	Sunset time.Time // from when on it may be gone; zero: that is not decided
	Link   string    // a page that says what to use in its place: "/docs/changelog"
}

// announce sets the headers Deprecation (RFC 9745), Sunset (RFC 8594) and Link.
func (d *Deprecation) announce(header http.Header) {
	header.Set("Deprecation", "@"+strconv.FormatInt(d.Since.Unix(), 10))
	if !d.Sunset.IsZero() {
		header.Set("Sunset", d.Sunset.UTC().Format(http.TimeFormat))
	}
	if d.Link != "" {
		header.Add("Link", "<"+d.Link+`>; rel="deprecation"; type="text/html"`)
	}
}
