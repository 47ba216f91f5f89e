package ams

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"
)

// TestRecordsAreReadAsEncodingJSONReadsThem: the decoder is another one, what it gives is not.
func TestRecordsAreReadAsEncodingJSONReadsThem(t *testing.T) {
	type own struct {
		ID    string
		Cost  json.Number `json:"replacement_cost"`
		Life  int64       `json:"life,string"`
		Wait  time.Duration
		Sizes [2]int
		Photo []byte
		Model Nullable[string] `json:"model"`
		Notes Nullable[string] `json:"notes"`
		Unit  Nullable[string] `json:"unit"`
		Rest  any
		Raw   json.RawMessage
	}
	for _, text := range []string{
		`{"id":"1","name":"Pompe é\u00e9","version":9007199254740993,"created_at":"2026-11-01T12:00:00.123456Z","replacement_cost":48500.10,
		  "created_by":{"type":"key","id":"2","name":"full"},"tags":["a","b"],"barcode":null,"condition_rating":3,"field_of_tomorrow":{"a":[1]},
		  "custom_fields":{"text":"x","number":1.5,"whole":12345678901234567890,"true":true,"none":null,"list":[1,"a"]}}`,
		`{"id":"1","Replacement_Cost":12.50,"LIFE":"7","wait":90,"sizes":[1,2,3],"photo":"AAEC","model":"M","notes":null,"rest":{"a":1e3},` +
			`"raw":{ "b" : 1 }}`,
		"{\"name\":\"a\",\"name\":\"b\",\"description\":\"\xff\"}", `{"tags":null,"custom_fields":null}`, `{"tags":[],"custom_fields":{}}`,
		`null`, ` {} `, `{"name":1}`, `{"version":1.5}`, `{"version":"1"}`, `{"created_at":"yesterday"}`, `{"tags":{}}`, `{"name":"a"`,
		`{"name":"a"} {}`, `<html>`, ``,
	} {
		for _, kind := range []reflect.Type{reflect.TypeFor[Asset](), reflect.TypeFor[AssetPatch](), reflect.TypeFor[Record](),
			reflect.TypeFor[own](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[HistoryEntry]()} {
			got, want := reflect.New(kind), reflect.New(kind)
			err, fault := decode([]byte(text), got.Interface()), json.Unmarshal([]byte(text), want.Interface())
			if fmt.Sprint(err) != fmt.Sprint(fault) {
				t.Errorf("%s as %v: %v, encoding/json says %v", text, kind, err, fault)
			} else if err == nil && !reflect.DeepEqual(got.Interface(), want.Interface()) {
				t.Errorf("%s as %v is\n%+v, encoding/json reads\n%+v", text, kind, got.Elem(), want.Elem())
			}
		}
	}
}
