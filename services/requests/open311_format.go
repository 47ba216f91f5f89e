package requests

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"math"
	"net/http"
	"strconv"

	"ams.internal/libs/fault"
)

// text is a text that JSON shows as null where there is none, and XML as an empty element.
type text string

// MarshalJSON implements json.Marshaler.
func (t text) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

type (
	discovery struct {
		XMLName    xml.Name     `xml:"discovery" json:"-"`
		Changeset  string       `xml:"changeset" json:"changeset"`
		Contact    string       `xml:"contact" json:"contact"`
		KeyService string       `xml:"key_service" json:"key_service"`
		Endpoints  geoEndpoints `xml:"endpoints>endpoint" json:"endpoints"`
	}
	geoEndpoints []geoEndpoint
	geoEndpoint  struct {
		Specification string     `xml:"specification" json:"specification"`
		URL           string     `xml:"url" json:"url"`
		Changeset     string     `xml:"changeset" json:"changeset"`
		Type          string     `xml:"type" json:"type"`
		Formats       geoFormats `xml:"formats>format" json:"formats"`
	}
	geoFormats []string

	geoServices []geoService
	geoService  struct {
		ServiceCode string `xml:"service_code" json:"service_code"`
		Name        text   `xml:"service_name" json:"service_name"`
		Description text   `xml:"description" json:"description"`
		Metadata    bool   `xml:"metadata" json:"metadata"`
		Type        string `xml:"type" json:"type"`
		Keywords    text   `xml:"keywords" json:"keywords"`
		Group       text   `xml:"group" json:"group"`
	}

	geoDefinition struct {
		XMLName     xml.Name      `xml:"service_definition" json:"-"`
		ServiceCode string        `xml:"service_code" json:"service_code"`
		Attributes  geoAttributes `xml:"attributes>attribute" json:"attributes"`
	}
	geoAttributes []geoAttribute
	geoAttribute  struct {
		Variable    bool      `xml:"variable" json:"variable"`
		Code        string    `xml:"code" json:"code"`
		Datatype    string    `xml:"datatype" json:"datatype"`
		Required    bool      `xml:"required" json:"required"`
		Hint        text      `xml:"datatype_description" json:"datatype_description"`
		Order       int       `xml:"order" json:"order"`
		Description string    `xml:"description" json:"description"`
		Values      geoValues `xml:"values>value,omitempty" json:"values,omitempty"`
	}
	geoValues []geoValue
	geoValue  struct {
		Key  string `xml:"key" json:"key"`
		Name string `xml:"name" json:"name"`
	}

	geoReceipts []geoReceipt
	geoReceipt  struct {
		ID        string `xml:"service_request_id" json:"service_request_id"`
		Notice    text   `xml:"service_notice" json:"service_notice"`
		AccountID text   `xml:"account_id" json:"account_id"`
	}

	geoRequests []geoRequest
	geoRequest  struct {
		ID          string   `xml:"service_request_id" json:"service_request_id"`
		Status      string   `xml:"status" json:"status"`
		StatusNotes text     `xml:"status_notes" json:"status_notes"`
		ServiceName text     `xml:"service_name" json:"service_name"`
		ServiceCode string   `xml:"service_code" json:"service_code"`
		Description text     `xml:"description" json:"description"`
		Agency      text     `xml:"agency_responsible" json:"agency_responsible"`
		Notice      text     `xml:"service_notice" json:"service_notice"`
		Requested   string   `xml:"requested_datetime" json:"requested_datetime"`
		Updated     string   `xml:"updated_datetime" json:"updated_datetime"`
		Expected    text     `xml:"expected_datetime" json:"expected_datetime"`
		Address     text     `xml:"address" json:"address"`
		AddressID   text     `xml:"address_id" json:"address_id"`
		Zipcode     text     `xml:"zipcode" json:"zipcode"`
		Lat         *float64 `xml:"lat" json:"lat"`
		Long        *float64 `xml:"long" json:"long"`
		MediaURL    text     `xml:"media_url" json:"media_url"`
	}

	geoErrors []geoError
	geoError  struct {
		Code        int    `xml:"code" json:"code"`
		Description string `xml:"description" json:"description"`
	}
)

// rows wraps a list for XML, where it has a name, and so has each of its entries.
func rows(found any) any {
	switch list := found.(type) {
	case geoServices:
		return struct {
			XMLName xml.Name    `xml:"services"`
			Rows    geoServices `xml:"service"`
		}{Rows: list}
	case geoReceipts:
		return struct {
			XMLName xml.Name    `xml:"service_requests"`
			Rows    geoReceipts `xml:"request"`
		}{Rows: list}
	case geoRequests:
		return struct {
			XMLName xml.Name    `xml:"service_requests"`
			Rows    geoRequests `xml:"request"`
		}{Rows: list}
	case geoErrors:
		return struct {
			XMLName xml.Name  `xml:"errors"`
			Rows    geoErrors `xml:"error"`
		}{Rows: list}
	}
	return found
}

// writeGeo writes a response in the format of the path.
func writeGeo(w http.ResponseWriter, status int, format string, found any) {
	var body bytes.Buffer
	var err error
	if format == "xml" {
		w.Header().Set("Content-Type", "text/xml; charset=utf-8")
		body.WriteString(`<?xml version="1.0" encoding="utf-8"?>` + "\n")
		err = xml.NewEncoder(&body).Encode(rows(found))
	} else {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		err = json.NewEncoder(&body).Encode(found)
	}
	if err != nil { // texts and numbers cannot fail
		panic(err)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // #nosec G705 -- escaped where it was made; fails only where the caller has hung up
}

// retryAfter is the header of an error that goes away by waiting.
func retryAfter(e *fault.Error) string {
	return strconv.Itoa(max(1, int(math.Ceil(e.RetryAfter.Seconds()))))
}
