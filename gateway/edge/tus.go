package edge

import (
	"net/http"
	"strconv"

	"ams.internal/libs/domain/catalogue"
)

// uploadsPath is where uploads can be resumed by tus 1.0.0 (https://tus.io/protocols/resumable-upload).
const uploadsPath = "/v1/uploads"

// setTus sets the header that every response of tus has, and so also what the gateway refuses by itself.
func setTus(header http.Header) { header["Tus-Resumable"] = []string{"1.0.0"} }

// describeTus says to whoever asks with OPTIONS what of tus there is.
func describeTus(header http.Header) {
	header.Set("Tus-Version", "1.0.0")
	header.Set("Tus-Extension", "creation,creation-with-upload,expiration,checksum,termination")
	header.Set("Tus-Max-Size", strconv.FormatInt(catalogue.MaxContent, 10))
	header.Set("Tus-Checksum-Algorithm", "sha1,sha256")
}
