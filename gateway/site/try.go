package site

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"ams.internal/gateway/openapi"
	"ams.internal/gateway/static"
)

// tryWords are the words of the panel that tries an operation.
type tryWords struct {
	English                                string // of the reference in another language; empty in English
	Try, Send, Wait, NoPanel, NoResponse   string
	Writes                                 string
	Key, KeyHint, Parameters, More, Format string
	Values                                 string // how several are chosen
	Body, File, Command, Response          string
	Empty, Binary, Cut                     string // of a body
	Back, Script                           string
}

var tryEnglish = tryWords{
	Try: "Try it", Send: "Send", Wait: "Waiting for the response…",
	NoPanel:    "The panel could not be loaded. Close it and open it again.",
	NoResponse: "There is no response. Is the key pasted as a whole, and is the network up?",
	Writes: "This call may change records: those of the key's organization or, with a key that begins with ams_test_, those of its " +
		"sandbox alone.",
	Key: "API key", KeyHint: "It stays in the memory of this page, and is sent to this installation alone.",
	Parameters: "Parameters", More: "Optional parameters", Format: "Format of the response",
	Values: "Several: with Ctrl or ⌘.", Body: "Body", File: "File",
	Command: "The same with curl", Response: "Response",
	Empty: "The response has no body.", Binary: "The body is no text and is not shown; bytes:",
	Cut: "The body is longer; characters that are shown:", Back: "All about this operation, in the reference",
	Script: "Sending calls needs JavaScript.",
}

var tryFrench = tryWords{
	English: "La référence est en anglais, comme les noms dans l’API. Le panneau « Essayer » est en français.",
	Try:     "Essayer", Send: "Envoyer", Wait: "En attente de la réponse…",
	NoPanel:    "Le panneau n’a pas pu être chargé. Fermez-le et ouvrez-le de nouveau.",
	NoResponse: "Il n’y a pas de réponse. La clé est-elle collée au complet, et le réseau fonctionne-t-il ?",
	Writes: "Cet appel peut modifier des enregistrements : ceux de l’organisation de la clé ou, avec une clé qui commence par ams_test_, " +
		"seulement ceux de son bac à sable.",
	Key: "Clé d’API", KeyHint: "Elle reste dans la mémoire de cette page et n’est envoyée qu’à cette installation.",
	Parameters: "Paramètres", More: "Paramètres facultatifs", Format: "Format de la réponse",
	Values: "Plusieurs : avec Ctrl ou ⌘.", Body: "Corps", File: "Fichier",
	Command: "La même chose avec curl", Response: "Réponse",
	Empty: "La réponse n’a pas de corps.", Binary: "Le corps n’est pas du texte et n’est pas affiché ; octets :",
	Cut: "Le corps est plus long ; caractères affichés :", Back: "Tout sur cette opération, dans la référence",
	Script: "L’envoi d’appels demande JavaScript.",
}

// Try gives the words of the panel that tries an operation.
func (l *language) Try() tryWords {
	if l == french {
		return tryFrench
	}
	return tryEnglish
}

// trial is what the page is made of on which one operation is tried. A page of the reference takes the form out of it when somebody
// opens the panel of the operation, so that the page itself does not carry the forms of a hundred.
type trial struct {
	*operation
	Tag      *tag
	Required []tryField
	Optional []tryField
	Formats  []string // media types of the response, if there are several
	Body     *tryBody
}

// Writes says whether the call may change something.
func (t trial) Writes() bool { return t.Method != http.MethodGet }

// tryField is the field of a parameter.
type tryField struct {
	field
	ID       string // of its element
	Value    string // that it begins with
	Several  string // how several of its values are chosen; empty: one
	Numbers  bool   // are what it takes
	Sensible string // an example, shown while the field is empty
}

// tryBody is the body of a request: text, a file, or both as parts of a form.
type tryBody struct {
	MediaType        string
	Text             string
	HasText, HasFile bool
}

// tryPage is the page on which the operation of a tag is tried; nil where there is none.
func (s *Site) tryPage(pieces *reference, in *language, tagName, id string) (*static.Asset, error) {
	found := pieces.find(tagName)
	if found == nil || tagName == webhooksTag {
		return nil, nil
	}
	at := slices.IndexFunc(found.Operations, func(o *operation) bool { return o.ID == id })
	if at < 0 {
		return nil, nil
	}
	o := found.Operations[at]
	shown := trial{operation: o, Tag: found, Body: pieces.tryBody(o.Body)}
	described := &schemas{reference: pieces, shown: map[string]bool{}}
	for i, p := range o.Parameters {
		f := tryField{field: described.parameter(p), ID: fmt.Sprintf("try-%s-%d", id, i)}
		f.Numbers = f.Type == "integer" || f.Type == "number"
		if f.Type == "boolean" {
			f.Values = []string{"true", "false"}
		} else if strings.HasPrefix(f.Type, "list of ") {
			f.Several = in.Try().Values
		}
		if f.Sensible = commaSeparated(f.Example); f.Required {
			// The id of an example exists nowhere: whoever sends it learns nothing.
			if !strings.Contains(f.Type, "uuid") {
				f.Value = f.Sensible
			}
			shown.Required = append(shown.Required, f)
		} else {
			shown.Optional = append(shown.Optional, f)
		}
	}
	shown.Formats = formatsOf(o)
	return s.render("try.html", view{Title: o.Summary, Language: in, Path: found.Path() + "/" + id, It: shown, Script: true})
}

// commaSeparated gives an example as a query has it: a list with commas.
func commaSeparated(example string) string {
	var entries []json.RawMessage
	if json.Unmarshal([]byte(example), &entries) != nil {
		return example
	}
	parts := make([]string, len(entries))
	for i, entry := range entries {
		parts[i] = plain(entry)
	}
	return strings.Join(parts, ",")
}

// formatsOf gives the media types of the response, JSON first, if it has several.
func formatsOf(o *operation) []string {
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		var success content
		if status >= "300" || json.Unmarshal(o.Responses[status], &success) != nil || len(success.Content) < 2 {
			continue
		}
		formats := slices.Sorted(maps.Keys(success.Content))
		if i := slices.Index(formats, "application/json"); i > 0 {
			formats = slices.Insert(slices.Delete(formats, i, i+1), 0, "application/json")
		}
		return formats
	}
	return nil
}

// tryBody is the body that a request begins with: what its schema requires.
func (r *reference) tryBody(body *content) *tryBody {
	if body == nil {
		return nil
	}
	types := slices.Sorted(maps.Keys(body.Content))
	if media, isJSON := body.Content["application/json"]; isJSON {
		return &tryBody{MediaType: "application/json", HasText: true, Text: r.exampleOf(media.raw)}
	}
	if media, isForm := body.Content["multipart/form-data"]; isForm {
		return &tryBody{MediaType: "multipart/form-data", HasText: true, HasFile: true,
			Text: r.exampleOf(json.RawMessage(`{"$ref": "` + media.Schema.Properties["document"].Reference + `"}`))}
	}
	if len(types) == 0 {
		return nil
	}
	return &tryBody{MediaType: strings.Replace(types[0], "*/*", "application/octet-stream", 1), HasFile: true}
}

// exampleOf gives an example of a schema, as text to edit. Of an object that requires nothing, such as a change, it has one field.
func (r *reference) exampleOf(raw json.RawMessage) string {
	decoded := map[string]any{}
	example := openapi.Example(r.decode(raw, decoded), map[string]any{"schemas": decoded})
	if members, isObject := example.(map[string]any); isObject && len(members) == 0 {
		var described schema
		if json.Unmarshal(raw, &described) == nil && described.Reference != "" {
			_ = json.Unmarshal(r.schemas[nameOf(described.Reference)], &described) // without it: no field
		}
		for _, name := range append([]string{"name"}, slices.Sorted(maps.Keys(described.Properties))...) {
			if member := described.Properties[name]; len(member.Examples) > 0 && !member.ReadOnly {
				members[name] = member.Examples[0]
				break
			}
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if encoder.Encode(example) != nil { // it came from JSON
		return "{}"
	}
	return strings.TrimSpace(text.String())
}

var schemaReference = regexp.MustCompile(`"\$ref":\s*"#/components/schemas/([^"]+)"`)

// decode gives a schema decoded, and puts those that it refers to into the map: the schemas of all take many times their memory when
// they are decoded.
func (r *reference) decode(raw json.RawMessage, into map[string]any) any {
	for _, found := range schemaReference.FindAllSubmatch(raw, -1) {
		name := string(found[1])
		if _, has := into[name]; !has {
			into[name] = nil // it may refer to itself
			into[name] = r.decode(r.schemas[name], into)
		}
	}
	var decoded any
	_ = json.Unmarshal(raw, &decoded) // what is no schema has no example
	return decoded
}
