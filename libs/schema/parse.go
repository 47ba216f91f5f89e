package schema

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"ams.internal/libs/fault"
)

// MaxDepth is how deep arrays and objects of a body may nest.
const MaxDepth = 16

// Parse reads one JSON value strictly: well-formed UTF-8, no lone surrogates, no NUL characters, no name twice
// in an object, no number beyond a float64, nothing after the value, at most MaxDepth levels.
// Objects become map[string]any, arrays []any, numbers float64, or json.Number where no float64 has the value. The
// error is a *fault.Error (400).
func Parse(body []byte) (any, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(body))
	value, err := parseValue(decoder, 0)
	if errors.Is(err, errNUL) {
		return nil, nulIn(fieldAt(decoder.StackPointer()))
	}
	if err != nil {
		return nil, explain(err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fault.Invalid("invalid_json", "The body must be one JSON value; there is something after it.")
	}
	return value, nil
}

// ParseObject is Parse for a body that must be an object.
func ParseObject(body []byte) (map[string]any, error) {
	value, err := Parse(body)
	if err != nil {
		return nil, err
	}
	object, ok := value.(map[string]any)
	if _, list := value.([]any); list {
		return nil, fault.Invalid("invalid_json", "The body must be a JSON object, not a list; several records go to a path that ends in /bulk, "+
			"as {\"data\": [ … ]}.")
	}
	if !ok {
		return nil, fault.Invalid("invalid_json", "The body must be a JSON object such as {\"name\": \"…\"}.")
	}
	return object, nil
}

var errDepth = errors.New("too deep")
var errNUL = errors.New("NUL character")
var errRange = errors.New("number out of range")

func parseValue(decoder *jsontext.Decoder, depth int) (any, error) {
	if depth > MaxDepth {
		return nil, errDepth
	}
	token, err := decoder.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return token.Bool(), nil
	case '"':
		return parseString(token)
	case '0':
		return parseNumber(token.String())
	case '[':
		list := []any{}
		for decoder.PeekKind() != ']' {
			value, err := parseValue(decoder, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := decoder.ReadToken()
		return list, err
	default:
		return parseMembers(decoder, depth)
	}
}

func parseMembers(decoder *jsontext.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for decoder.PeekKind() != '}' {
		token, err := decoder.ReadToken()
		if err != nil {
			return nil, err
		}
		name, err := parseString(token)
		if err != nil {
			return nil, err
		}
		value, err := parseValue(decoder, depth+1)
		if err != nil {
			return nil, err
		}
		object[name.(string)] = value
	}
	_, err := decoder.ReadToken()
	return object, err
}

func parseString(token jsontext.Token) (any, error) {
	text := token.String()
	if strings.ContainsRune(text, 0) {
		return nil, errNUL
	}
	return text, nil
}

// explain describes what is wrong with a body in the caller's words.
func explain(err error) error {
	switch {
	case errors.Is(err, errDepth):
		return fault.Invalid("invalid_json", "The body nests deeper than %d levels.", MaxDepth)
	case errors.Is(err, errRange):
		return fault.Invalid("invalid_json", "The body has a number that is too large.")
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fault.Invalid("invalid_json", "The body has the same name twice in one object: %s.", where(err))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fault.Invalid("invalid_json", "The body is empty or ends too early; it must be one whole JSON value.")
	}
	return fault.Invalid("invalid_json", "The body is not valid JSON: %s.", where(err))
}

// nulIn is the problem of a text, or of a name, that has a NUL.
func nulIn(field string) error {
	e := fault.Invalid("invalid_json", "%s: has a NUL character (\\u0000) in its text or name; take it out.", field)
	e.Fields = []fault.Field{{Field: field, Message: "has a NUL character (\\u0000) in its text or name; take it out"}}
	return e
}

// fieldAt is a place in a body as errors name it: /data/3/name is data[3].name.
func fieldAt(pointer jsontext.Pointer) string {
	var field strings.Builder
	for name := range pointer.Tokens() {
		name = strings.ReplaceAll(name, "\x00", "\\u0000")
		switch _, err := strconv.Atoi(name); {
		case err == nil && field.Len() > 0:
			field.WriteString("[" + name + "]")
		case field.Len() > 0:
			field.WriteString("." + name)
		default:
			field.WriteString(name)
		}
	}
	if field.Len() == 0 {
		return "body"
	}
	return field.String()
}

func where(err error) string {
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		place := "at byte " + strconv.FormatInt(syntactic.ByteOffset, 10)
		if pointer := string(syntactic.JSONPointer); pointer != "" {
			place += " (" + pointer + ")"
		}
		if syntactic.Err != nil && !errors.Is(err, jsontext.ErrDuplicateName) {
			return syntactic.Err.Error() + " " + place
		}
		return place
	}
	return err.Error()
}

// Places says where in a body fields stand that errors name: the first one has the lowest number. Those that are not there are left out.
func Places(body []byte, fields []fault.Field) map[string]int {
	wanted, places := map[string]bool{}, map[string]int{}
	for _, f := range fields {
		wanted[f.Field] = true
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(body))
	for n := 0; len(places) < len(wanted); n++ {
		if _, err := decoder.ReadToken(); err != nil {
			break
		}
		at := fieldAt(decoder.StackPointer())
		if _, seen := places[at]; wanted[at] && !seen {
			places[at] = n
		}
	}
	return places
}
