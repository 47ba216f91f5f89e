package odata

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/fault"
)

// Form is how a response is written: as the Accept header of its request, or $format in the place of that, would have it.
type Form struct {
	TextNumbers bool // IEEE754Compatible=true: numbers of the types Edm.Decimal and Edm.Int64, which a double does not hold exactly, are texts
	NoMetadata  bool // odata.metadata=none: without the context URL
}

// ContentType is that of a response in this form.
func (f Form) ContentType() string {
	metadata := "minimal"
	if f.NoMetadata {
		metadata = "none"
	}
	return "application/json;odata.metadata=" + metadata + ";odata.streaming=true;IEEE754Compatible=" + strconv.FormatBool(f.TextNumbers) +
		";charset=utf-8"
}

const formats = "must be json or application/json, which may have odata.metadata=minimal or none and IEEE754Compatible=true or false " +
	"behind it; files (CSV, NDJSON, Parquet) are had from the lists of the API"

// FormOf gives the form that a request asks for: by $format, else by its Accept header.
func FormOf(query url.Values, header http.Header) (Form, error) {
	field, read := "Accept", func() (Form, error) { return formOfAccept(header) }
	if query.Has("$format") {
		field, read = "$format", func() (Form, error) { return formOfFormat(query.Get("$format")) }
	}
	form, err := read()
	if err != nil {
		err = fault.InvalidFields(fault.Field{Field: field, Message: err.Error()})
	}
	return form, err
}

// formOfFormat reads $format.
func formOfFormat(text string) (Form, error) {
	mediaType, parameters, _ := strings.Cut(text, ";")
	if mediaType = strings.ToLower(strings.TrimSpace(mediaType)); mediaType != "json" && mediaType != "application/json" {
		return Form{}, fmt.Errorf("%s", formats)
	}
	_, parsed, err := mime.ParseMediaType("application/json;" + parameters)
	if err != nil {
		return Form{}, fmt.Errorf("%s", formats)
	}
	return formOf(parsed)
}

// formOfAccept reads the Accept header: of the ranges that there is something for, it takes the one with the highest weight, and of equal
// ones the first. It says what is wrong where there is nothing for any.
func formOfAccept(header http.Header) (Form, error) {
	wanted := From(header)
	var best Form
	var wrong error
	var named []string
	highest := 0.0
	for _, line := range header["Accept"] {
		for text := range strings.SplitSeq(line, ",") {
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			mediaType, parameters, err := mime.ParseMediaType(text)
			if named = append(named, mediaType); err != nil || !fits(mediaType, wanted != nil && wanted.Count) {
				continue
			}
			form, err := formOf(parameters)
			if weight := weightOf(parameters); err != nil && weight > 0 {
				wrong = err
			} else if err == nil && weight > highest {
				best, highest = form, weight
			}
		}
	}
	switch {
	case highest > 0 || named == nil:
		return best, nil
	case wrong != nil:
		return best, wrong
	}
	return best, fmt.Errorf("must name application/json, which OData is written in; it names %.200s", strings.Join(named, ", "))
}

// fits says whether a range has JSON in it. A number of records is plain text, and a number in JSON is written just so: who counts may
// accept either.
func fits(mediaRange string, counts bool) bool {
	return slices.Contains([]string{"application/json", "application/*", "*/*"}, mediaRange) ||
		counts && (mediaRange == "text/plain" || mediaRange == "text/*")
}

// weightOf is that of a range among others; 1 where it says none.
func weightOf(parameters map[string]string) float64 {
	if weight, err := strconv.ParseFloat(parameters["q"], 64); err == nil && weight >= 0 && weight <= 1 {
		return weight
	}
	return 1
}

// formOf reads the parameters of a media type. The names of those of OData begin with odata. in version 4.0, and may do without in 4.01.
func formOf(parameters map[string]string) (f Form, err error) {
	for _, name := range []string{"odata.metadata", "metadata"} {
		switch value, given := parameters[name]; {
		case !given, strings.EqualFold(value, "minimal"):
		case strings.EqualFold(value, "none"):
			f.NoMetadata = true
		default:
			return f, fmt.Errorf("%s=%.20s is not had; ask for minimal, beside which $metadata has the types of all that is "+
				"shown, or for none", name, value)
		}
	}
	switch value := parameters["ieee754compatible"]; {
	case strings.EqualFold(value, "true"):
		f.TextNumbers = true
	case value != "" && !strings.EqualFold(value, "false"):
		return f, fmt.Errorf("IEEE754Compatible must be true, for numbers of the types Edm.Decimal and Edm.Int64 as texts, "+
			"or false; it is %.20s", value)
	}
	return f, nil
}
