package ams

import (
	"bytes"
	encodingjson "encoding/json"
	"net/http"

	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// asEncodingJSON makes the decoder read what encoding/json reads, in half the time. Only its errors are its own: to find out what
// encoding/json would have said costs a quarter more, for every record that has no error.
var asEncodingJSON = json.JoinOptions(jsonv1.DefaultOptionsV1(), jsonv1.ReportErrorsWithLegacySemantics(false))

func decode(text []byte, into any) error {
	if json.Unmarshal(text, into, asEncodingJSON) == nil {
		return nil
	}
	// What is refused, encoding/json decides: its errors are those that programs know, and before Go 1.27 only it reads its Number.
	return encodingjson.Unmarshal(text, into)
}

// readAll reads a body at once where its length is known: a page of 1,000 records would be copied a dozen times while it grows.
func readAll(response *http.Response) ([]byte, error) {
	var body bytes.Buffer
	if length := response.ContentLength; length > 0 && length < 64<<20 {
		body.Grow(int(length) + bytes.MinRead)
	}
	_, err := body.ReadFrom(response.Body)
	return body.Bytes(), err
}
