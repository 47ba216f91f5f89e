package schema

import (
	"reflect"
	"strings"
	"testing"
)

func TestValuesOfAListMayHaveCommas(t *testing.T) {
	text := func(texts ...string) (values []Value) {
		for _, text := range texts {
			values = append(values, Value{Text: text})
		}
		return values
	}
	for _, c := range []struct {
		written string
		want    []Value
	}{
		{"", text("")},
		{"a", text("a")},
		{" a , b", text("a", "b")},
		{"a,,b", text("a", "", "b")},
		{"a,", text("a", "")},
		{`Rue King\, Est,b`, text("Rue King, Est", "b")},
		{`"Rue King, Est" , "12"" pipe",c`, text("Rue King, Est", `12" pipe`, "c")},
		{`12" pipe`, text(`12" pipe`)},
		{`\"quoted\"`, text(`"quoted"`)},
		{`C:\Plans\2026`, text(`C:\Plans\2026`)},
		{`C:\\,D:\`, text(`C:\`, `D:\`)},
		{"null", []Value{{Null: true}}},
		{`\null,"null",null`, []Value{{Text: "null"}, {Text: "null"}, {Null: true}}},
		{`""`, text("")},
		{`" a "`, text(" a ")},
	} {
		if got, err := Values(c.written); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.written, got, err, c.want)
		}
	}
	for _, written := range []string{`"a`, `"a" b`, `"a"",b`, `a,"b`} {
		if got, err := Values(written); err == nil {
			t.Errorf("%s is taken: %v", written, got)
		}
	}
}

func FuzzListOf(f *testing.F) {
	for _, text := range []string{"a", "a,b", `"`, `\`, `\,`, `a\`, "null", `\null`, "Chaudière, 2ᵉ étage"} {
		f.Add(text, "b")
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		got, err := Values(ListOf(first, second))
		if want := []Value{{Text: strings.TrimSpace(first)}, {Text: strings.TrimSpace(second)}}; err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v; want %v", ListOf(first, second), got, err, want)
		}
	})
}
