package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"ams.internal/libs/suggest"
)

// Mistakes collects what is wrong with declarations: one sentence each, with the place.
type Mistakes []string

// Add adds a mistake.
func (m *Mistakes) Add(format string, args ...any) { *m = append(*m, fmt.Sprintf(format, args...)) }

// Panic ends a program whose declarations are wrong, and names all mistakes.
func (m Mistakes) Panic() {
	if len(m) > 0 {
		panic(fmt.Sprintf("%d mistakes in declarations:\n\t%s", len(m), strings.Join(m, "\n\t")))
	}
}

// checkTags checks the tags of every field of a struct, and of the objects within.
func checkTags(t reflect.Type, key string, nested bool, mistakes *Mistakes) {
	siblings := map[string]map[string]string{}
	fields := declaredFields(t)
	for _, f := range fields {
		tags, err := parseTag(f.Tag)
		if err != nil {
			mistakes.Add("%s.%s: %v", t.Name(), f.Name, err)
			continue
		}
		name := nameIn(f, key)
		if name == "" {
			if (f.Tag.Get("json")+f.Tag.Get("path")+f.Tag.Get("query") == "") && (!nested || len(tags) > 0) {
				mistakes.Add(`%s.%s: has no json name; "-" says that it is no field`, t.Name(), f.Name)
			}
			continue
		}
		if siblings[name] != nil {
			mistakes.Add("%s.%s: there is another field called %s", t.Name(), f.Name, name)
		}
		siblings[name] = tags
	}
	for _, f := range fields {
		if name := nameIn(f, key); name != "" && siblings[name] != nil {
			m := &member{name: name, base: f.Type, tags: siblings[name], siblings: siblings, nested: nested}
			m.check(t, f, mistakes)
		}
	}
}

func declaredFields(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous || !f.IsExported() })
}

// nameIn is a field's name under a key; "" where it is no field there.
func nameIn(f reflect.StructField, key string) string {
	name, _, _ := strings.Cut(f.Tag.Get(key), ",")
	if name == "-" {
		return ""
	}
	return name
}

func (m *member) check(t reflect.Type, f reflect.StructField, mistakes *Mistakes) {
	if m.nullable = f.Type.Kind() == reflect.Pointer; m.nullable {
		m.base = f.Type.Elem()
	}
	before := len(*mistakes)
	if within := objectIn(m.base); within != nil {
		checkTags(within, "json", true, mistakes)
	}
	if len(*mistakes) > before {
		return // huma would panic over them
	}
	bare := f
	if bare.Tag = ""; m.tags["format"] != "" {
		bare.Tag = reflect.StructTag("format:" + strconv.Quote(m.tags["format"]))
	} else if m.tags["references"] != "" && m.base.Kind() == reflect.String {
		bare.Tag = `format:"uuid"`
	}
	declaring.Lock()
	m.kind = kindOf(inline(huma.SchemaFromField(registry, bare, m.name)))
	declaring.Unlock()
	for _, name := range sortedKeys(m.tags) {
		wrong, tag := "", tagNamed(name)
		switch value := m.tags[name]; {
		case tag == nil:
			wrong = Unknown("tag", name, tagNames())
		case m.nested && tag.resource:
			wrong = "says nothing on a member of an object; leave it out"
		case tag.kinds != nil && !slices.Contains(tag.kinds, m.kind):
			wrong = fmt.Sprintf("cannot stand on a field of the kind %s", m.kind)
		case tag.wrong != nil:
			wrong = tag.wrong(m, value)
		}
		if wrong != "" {
			mistakes.Add("%s.%s, tag %s: %s", t.Name(), f.Name, name, wrong)
		}
	}
	if len(*mistakes) > before {
		return
	}
	f.Tag = m.without("default", "example") // huma panics over those that it cannot read
	field := fieldOf(f, m.name, longestText)
	for _, name := range []string{"default", "example"} {
		if text, has := m.tags[name]; has && field.checker == nil { // a type of its own may show what it does not take
			if wrong := field.wrongValue(text); wrong != "" {
				mistakes.Add("%s.%s, tag %s: %s", t.Name(), f.Name, name, wrong)
			}
		}
	}
}

// without gives the member's tag less some keys.
func (m *member) without(names ...string) reflect.StructTag {
	var tag strings.Builder
	for _, name := range sortedKeys(m.tags) {
		if !slices.Contains(names, name) {
			fmt.Fprintf(&tag, "%s:%q ", name, m.tags[name])
		}
	}
	return reflect.StructTag(tag.String())
}

// FieldNames lists the fields of a struct, also of one whose tags have mistakes.
func FieldNames(t reflect.Type) []string {
	var names []string
	for _, f := range declaredFields(t) {
		if name := nameIn(f, "json"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// objectIn gives the struct that a field holds, one or many of them; nil for plain values and for types that
// describe themselves.
func objectIn(t reflect.Type) reflect.Type {
	for {
		if reflect.PointerTo(t).Implements(reflect.TypeFor[Checker]()) ||
			reflect.PointerTo(t).Implements(reflect.TypeFor[huma.SchemaProvider]()) {
			return nil
		}
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			t = t.Elem()
		case reflect.Struct:
			if t.PkgPath() == "time" {
				return nil
			}
			return t
		default:
			return nil
		}
	}
}

// parseTag reads all keys of a tag, which package reflect finds only by name.
func parseTag(tag reflect.StructTag) (map[string]string, error) {
	tags := map[string]string{}
	for rest := strings.TrimSpace(string(tag)); rest != ""; rest = strings.TrimSpace(rest) {
		name, after, found := strings.Cut(rest, ":")
		quoted, err := strconv.QuotedPrefix(after)
		if !found || err != nil || strings.ContainsAny(name, " \"") {
			return nil, fmt.Errorf(`the tag is not made of key:"value" from %.30q on`, rest)
		}
		value, err := strconv.Unquote(quoted)
		if _, twice := tags[name]; err != nil || twice {
			return nil, fmt.Errorf("the tag has %s twice, or its value cannot be read", name)
		}
		tags[name], rest = value, after[len(quoted):]
	}
	return tags, nil
}

func tagNames() []string {
	names := make([]string, len(Tags))
	for i, t := range Tags {
		names[i] = t.Name
	}
	return names
}

func sortedKeys[V any](set map[string]V) []string {
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Unknown is the sentence that a name is none of a kind, with the one that was probably meant.
func Unknown(kind, name string, known []string) string {
	return fmt.Sprintf("there is no %s %q%s", kind, name, suggest.DidYouMean(name, known))
}
