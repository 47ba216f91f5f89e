package schema_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"ams.internal/libs/fault"
	"ams.internal/libs/schema"
)

func TestParseReadsWhatJSONIs(t *testing.T) {
	for body, want := range map[string]any{
		`null`:                        nil,
		` true `:                      true,
		`"École"`:                     "École",
		`"\u00c9cole \ud83d\ude00"`:   "École 😀",
		`-12.50e1`:                    -125.0,
		`[]`:                          []any{},
		`{}`:                          map[string]any{},
		`{"a":[1,{"b":null}],"c":""}`: map[string]any{"a": []any{1.0, map[string]any{"b": nil}}, "c": ""},
		"\t[1,\n2]\r":                 []any{1.0, 2.0},
	} {
		got, err := schema.Parse([]byte(body))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %#v, %v", body, got, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	nested := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	for _, c := range []struct{ name, body, says string }{
		{"nothing", "", "ends too early"},
		{"blanks only", " \n", "ends too early"},
		{"half an object", `{"name":`, "ends too early"},
		{"half a text", `"abc`, "ends too early"},
		{"a word", "nil", "not valid JSON"},
		{"a single quote", `{'a':1}`, "not valid JSON"},
		{"a comma too many", `[1,]`, "not valid JSON"},
		{"a comment", `{} // done`, "something after it"},
		{"a second value", `{} {}`, "something after it"},
		{"a closing bracket too many", `{}}`, "something after it"},
		{"a name twice", `{"a":1,"a":2}`, "same name twice"},
		{"a name twice, once escaped", `{"a":1,"\u0061":2}`, "same name twice"},
		{"a name twice further in", `{"x":[{"a":1,"a":2}]}`, "same name twice"},
		{"NUL in a text", `{"a":"x\u0000"}`, "NUL"},
		{"NUL in a name", `{"a\u0000":1}`, "NUL"},
		{"a NUL byte", "\"\x00\"", "not valid JSON"},
		{"a lone high surrogate", `"\ud800"`, "not valid JSON"},
		{"a lone low surrogate", `"\udc00x"`, "not valid JSON"},
		{"bytes that are not UTF-8", "\"\xff\xfe\"", "not valid JSON"},
		{"NaN", `NaN`, "not valid JSON"},
		{"Infinity", `[-Infinity]`, "not valid JSON"},
		{"1e400", `{"a":1e400}`, "too large"},
		{"minus 1e400", `[-1e400]`, "too large"},
		{"a leading zero", `012`, "something after it"},
		{"a hexadecimal number", `0x10`, "something after it"},
		{"levels without end", nested(10_000), "nests deeper"},
		{"one level too many", nested(schema.MaxDepth + 2), "nests deeper"},
	} {
		value, err := schema.Parse([]byte(c.body))
		var e *fault.Error
		if !errors.As(err, &e) || e.Status() != 400 || e.Code != "invalid_json" || !strings.Contains(e.Message, c.says) {
			t.Errorf("%s: read as %v, %v; want a sentence that says %q", c.name, value, err, c.says)
		}
	}
	if _, err := schema.Parse([]byte(nested(schema.MaxDepth))); err != nil {
		t.Errorf("%d levels: %v", schema.MaxDepth, err)
	}
}

func TestParseObjectTakesObjectsOnly(t *testing.T) {
	for _, body := range []string{`[]`, `"{}"`, `1`, `null`, `false`} {
		if object, err := schema.ParseObject([]byte(body)); err == nil {
			t.Errorf("%s is read as %v", body, object)
		}
	}
	if object, err := schema.ParseObject([]byte(`{"a":1}`)); err != nil || object["a"] != 1.0 {
		t.Errorf("an object is read as %v, %v", object, err)
	}
}

// What is read means the same when it is written and read again; and encoding/json reads no other value from it.
func FuzzParse(f *testing.F) {
	for _, body := range []string{`{"a":[1,2.5e-3,"x\u00e9\n",null,true]}`, `{"a":1,"a":2}`, `"\ud800"`, `1e400`, "\"\xff\"", `[[[]]]`,
		`{"":{}} `, `-0`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		value, err := schema.Parse(body)
		if err != nil {
			var e *fault.Error
			if !errors.As(err, &e) || e.Status() != 400 {
				t.Fatalf("%q: %v is not a 400", body, err)
			}
			return
		}
		var other any
		if err := json.Unmarshal(body, &other); err != nil || !reflect.DeepEqual(value, other) {
			t.Fatalf("%q: read as %#v, by encoding/json as %#v, %v", body, value, other, err)
		}
		written, err := json.Marshal(value)
		if err != nil || strings.Contains(string(written), `\u0000`) {
			t.Fatalf("%q: written as %s, %v", body, written, err)
		}
		again, err := schema.Parse(written)
		if err != nil || !reflect.DeepEqual(value, again) {
			t.Fatalf("%q: written as %s, read again as %#v, %v", body, written, again, err)
		}
	})
}

func TestANULIsNamedByItsField(t *testing.T) {
	for body, want := range map[string]string{
		`{"name":"a\u0000"}`: "name", `{"data":[{},{"tags":["x","\u0000"]}]}`: "data[1].tags[1]",
		`{"custom_fields":{"a\u0000":1}}`: `custom_fields.a\u0000`, `"\u0000"`: "body",
	} {
		_, err := schema.Parse([]byte(body))
		var refused *fault.Error
		if !errors.As(err, &refused) || len(refused.Fields) != 1 || refused.Fields[0].Field != want || refused.Code != "invalid_json" ||
			!strings.HasPrefix(refused.Message, want+": ") {
			t.Errorf("%s: %v", body, err)
		}
	}
}
