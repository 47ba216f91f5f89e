package schema_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"ams.internal/libs/schema"
)

// field gives a struct with one field of that type and tag, beside which stands an enum.
func field(kind any, tag string) reflect.Type {
	return reflect.StructOf([]reflect.StructField{
		{Name: "Kind", Type: reflect.TypeFor[*string](), Tag: `json:"kind" enum:"site,building"`},
		{Name: "A", Type: reflect.TypeOf(kind), Tag: reflect.StructTag(`json:"a" ` + tag)},
	})
}

func TestEveryWrongTagIsNamed(t *testing.T) {
	text, number, whole, list := "", 0.0, 0, []string{}
	for _, c := range []struct {
		kind any
		tag  string
		want string
	}{
		{"", `requierd:"true"`, `tag requierd: there is no tag "requierd"; did you mean required?`},
		{"", `maxLenght:"3"`, `did you mean maxLength?`},
		{"", `max_length:"3"`, `did you mean maxLength?`},
		{"", `referneces:"sites"`, `did you mean references?`},
		{"", `readonly:"true"`, `did you mean readOnly?`},
		{"", `sortable:"true"`, `there is no tag "sortable"`},
		{"", `validate:"x"`, `there is no tag "validate"`},
		{"", `required:"yes"`, `tag required: is "yes"; it must be "true"`},
		{"", `required:"false"`, `tag required: is "false"`},
		{"", `required:"true" readOnly:"true"`, `tag required: stands beside readOnly`},
		{"", `readOnly:"1"`, `tag readOnly: is "1"`},
		{"", `default:"c" enum:"a,b"`, `tag default: is "c", which the field does not take: it must be one of`},
		{0, `default:"x"`, `tag default: is "x", which must be a number`},
		{0, `default:"9" maximum:"5"`, `tag default: is "9", which the field does not take: it must be 5 or less`},
		{true, `default:"yes"`, `tag default: is "yes", which must be true or false`},
		{"", `default:"abcd" maxLength:"3"`, `tag default: is "abcd", which the field does not take`},
		{&text, `default:"a"`, `tag default: stands on a pointer`},
		{"", `example:"c" enum:"a,b"`, `tag example: is "c", which the field does not take`},
		{list, `example:"a"`, `tag example: is "a", which`},
		{"", `example:" "`, `tag example: says nothing`},
		{"", `doc:""`, `tag doc: says nothing`},
		{"", `enum:"a,b,a"`, `tag enum: has "a" twice`},
		{"", `enum:"a, b"`, `tag enum: has " b" among its values`},
		{"", `enum:"a,,b"`, `tag enum: has "" among its values`},
		{0, `enum:"1,2"`, `tag enum: cannot stand on a field of the kind integer`},
		{[]int{}, `enum:"1,2"`, `tag enum: stands on a list of something else than texts`},
		{"", `format:"datetime"`, `tag format: is "datetime"; it must be one of uuid, date, date-time`},
		{0, `format:"date"`, `tag format: stands on a field that is no text`},
		{"", `maxLength:"many"`, `tag maxLength: is "many"; it must be a whole number`},
		{"", `maxLength:"-1"`, `tag maxLength: is "-1"`},
		{0, `maxLength:"3"`, `tag maxLength: stands on a field that is no text`},
		{0.0, `decimals:"12"`, `tag decimals: is "12"; it must be a digit`},
		{0.0, `decimals:"4" money:"true"`, `tag decimals: stands beside money`},
		{0, `decimals:"4"`, `tag decimals: cannot stand on a field of the kind integer`},
		{"", `minLength:"5" maxLength:"3"`, `leaves no value: minLength is 5 and maxLength is 3`},
		{"", `pattern:"[a-"`, `tag pattern: is no regular expression`},
		{0, `pattern:"a"`, `tag pattern: cannot stand on a field of the kind integer`},
		{"", `patternDescription:"a word"`, `tag patternDescription: describes a pattern that is not there`},
		{"", `minimum:"1"`, `tag minimum: cannot stand on a field of the kind text`},
		{whole, `minimum:"one"`, `tag minimum: is "one"`},
		{whole, `minimum:"1.5"`, `tag minimum: is "1.5"; it must be a number of the field's kind, which is integer`},
		{number, `minimum:"5" maximum:"3"`, `leaves no value: minimum is 5 and maximum is 3`},
		{"", `maxItems:"3"`, `tag maxItems: cannot stand on a field of the kind text`},
		{list, `maxItems:"a"`, `tag maxItems: is "a"`},
		{"", `uniqueItems:"true"`, `tag uniqueItems: cannot stand`},
		{"", `money:"true"`, `tag money: cannot stand on a field of the kind text`},
		{whole, `money:"true"`, `tag money: cannot stand on a field of the kind integer`},
		{&number, `money:"true" minimum:"0"`, `tag money: has bounds of its own`},
		{"", `unit:"m"`, `tag unit: cannot stand on a field of the kind text`},
		{"", `unique:"knd"`, `tag unique: there is no field "knd"; did you mean kind?`},
		{"", `unique:"a"`, `tag unique: there is no field "a"`},
		{true, `unique:"true"`, `tag unique: cannot stand on a field of the kind boolean`},
		{&text, `auto:"A-%d" unique:"true"`, `tag auto: is "A-%d"; it must be like A-%06d`},
		{&text, `auto:"A-%04d"`, `tag auto: needs a pointer`},
		{text, `auto:"A-%04d" unique:"true"`, `tag auto: needs a pointer`},
		{&whole, `auto:"A-%04d" unique:"true"`, `tag auto: cannot stand on a field of the kind integer`},
		{&whole, `references:"sites"`, `tag references: stands on a field that is neither an id nor a list of ids`},
		{&text, `references:"@knid"`, `tag references: there is no field "knid"; did you mean kind?`},
		{&text, `references:"@a"`, `tag references: takes the collection from a, which has no enum`},
		{"", `column:"A B"`, `tag column: is "A B"; it must be a name in SQL`},
		{"", `column:"a"`, `tag column: is "a"; it must be a name in SQL, and another one`},
		{"", `column:"b" unique:"true"`, `tag column: stands beside unique`},
		{"", `column:"b" filter:"prefix"`, `tag column: stands beside the filter prefix`},
		{"", `generated:"true"`, `tag generated: needs readOnly:"true"`},
		{"", `filter:"fuzzy"`, `tag filter: is "fuzzy"; it must be equals, range, prefix or contains`},
		{"", `filter:"true"`, `tag filter: is "true"`},
		{"", `filter:"range"`, `tag filter: is range, which a field of the kind text cannot have`},
		{"", `filter:"contains"`, `tag filter: is contains`},
		{list, `filter:"equals"`, `tag filter: is equals, which a field of the kind list cannot have`},
		{whole, `filter:"prefix"`, `tag filter: is prefix`},
		{"", `sort:"yes"`, `tag sort: is "yes"`},
		{list, `sort:"true"`, `tag sort: cannot stand on a field of the kind list`},
		{&number, `search:"text"`, `tag search: cannot stand on a field of the kind number`},
		{"", `search:"true"`, `tag search: is "true"; it must be code, name or text`},
		{"", `json:"b"`, `the tag has json twice`},
		{"", `maxLength:3`, `the tag is not made of key:"value" from`},
		{struct {
			B string `json:"b" requierd:"true"`
		}{}, ``, `.B, tag requierd: there is no tag`},
		{[]struct {
			B string `json:"b" filter:"equals"`
		}{}, ``, `.B, tag filter: says nothing on a member of an object`},
	} {
		if _, mistakes := schema.Inspect(field(c.kind, c.tag)); len(mistakes) == 0 || !strings.Contains(strings.Join(mistakes, "\n"), c.want) ||
			!strings.Contains(mistakes[0], ".") {
			t.Errorf("%T %s: want %q, said %q", c.kind, c.tag, c.want, mistakes)
		}
	}
}

func TestTwoFieldsOfOneNameAreNamed(t *testing.T) {
	one := reflect.StructField{Name: "A", Type: reflect.TypeFor[string](), Tag: `json:"a"`}
	other := one
	other.Name = "B"
	if _, mistakes := schema.Inspect(reflect.StructOf([]reflect.StructField{one, other})); len(mistakes) != 1 ||
		!strings.Contains(mistakes[0], ".B: there is another field called a") {
		t.Error(mistakes)
	}
}

func TestGoodTagsAreTaken(t *testing.T) {
	text := ""
	for _, tag := range []string{
		`maxLength:"3" default:"abc"`, `format:"date" filter:"range"`, `unique:"kind"`, `enum:"a,b" default:"b" example:"a"`,
		`pattern:"^a" patternDescription:"a word"`,
	} {
		if _, mistakes := schema.Inspect(field("", tag)); mistakes != nil {
			t.Errorf("%s: %v", tag, mistakes)
		}
	}
	for _, tag := range []string{`auto:"WO-%06d" unique:"true"`, `references:"@kind"`, `references:"sites" filter:"equals"`} {
		if _, mistakes := schema.Inspect(field(&text, tag)); mistakes != nil {
			t.Errorf("%s: %v", tag, mistakes)
		}
	}
}

// The table for readers and the table that the check uses are one.
func TestGoldenTableOfTags(t *testing.T) {
	const path = "../../docs/tags.md"
	var table strings.Builder
	table.WriteString("# Tags\n\nWhat the tag of a field can say, in the structs of resources and of plain operations. Any other key, " +
		"value or combination\n" +
		"ends the program at its start, with a sentence that names type, field and tag. `make golden`\nwrites this table.\n\n" +
		"| tag | values | effect | example |\n|---|---|---|---|\n")
	for _, tag := range schema.Tags {
		if tag.Values == "" || tag.Effect == "" || !strings.HasPrefix(tag.Example, tag.Name+`:"`) {
			t.Errorf("the tag %s is not documented", tag.Name)
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | `%s` |\n", tag.Name, tag.Values, tag.Effect, tag.Example)
	}
	if os.Getenv("AMS_GOLDEN") == "write" {
		if err := os.WriteFile(path, []byte(table.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if written, err := os.ReadFile(path); err != nil || string(written) != table.String() {
		t.Errorf("docs/tags.md is not the table of tags (%v); write it anew with AMS_GOLDEN=write", err)
	}
}
