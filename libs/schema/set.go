package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Set puts a checked value (see Check) into the field of record, which must be addressable. nil clears a
// pointer, and gives any other field its default.
func (f *Field) Set(record reflect.Value, value any) {
	target := record.FieldByIndex(f.Index)
	if value == nil {
		switch target.Kind() {
		case reflect.Slice:
			target.Set(reflect.MakeSlice(target.Type(), 0, 0)) // a list is empty, never null
		case reflect.Map:
			target.Set(reflect.MakeMap(target.Type()))
		default:
			target.SetZero()
		}
		if !f.Nullable && f.Default != nil {
			f.Set(record, f.Default)
		}
		return
	}
	if target.Kind() == reflect.Pointer {
		target.Set(reflect.New(target.Type().Elem()))
		target = target.Elem()
	}
	switch v := value.(type) {
	case string:
		target.SetString(v)
	case bool:
		target.SetBool(v)
	case float64:
		if target.CanInt() {
			target.SetInt(int64(v))
		} else {
			target.SetFloat(v)
		}
	case int, int64:
		target.SetInt(reflect.ValueOf(v).Int())
	default: // lists and objects: small and rare, so through JSON
		target.SetZero() // never write into memory that another record shares
		encoded, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(encoded, target.Addr().Interface())
		}
		if err != nil {
			panic(fmt.Sprintf("schema: field %s cannot hold %T: %v", f.Name, value, err))
		}
	}
}

// Get gives the field's value in record: nil for null, else a string, bool, int, float64, list or map.
func (f *Field) Get(record reflect.Value) any {
	value := record.FieldByIndex(f.Index)
	if value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return nil
		}
		value = value.Elem()
	}
	return value.Interface()
}

// Members gives the members of the field's object in record, as a body has them: empty for null.
func (f *Field) Members(record reflect.Value) map[string]any {
	members := map[string]any{}
	switch held := f.Get(record).(type) {
	case nil:
	case map[string]any:
		maps.Copy(members, held)
	case OpenObject:
		maps.Copy(members, held)
	default: // a type of its own: rare, so through JSON
		encoded, err := json.Marshal(held)
		if err == nil {
			err = json.Unmarshal(encoded, &members)
		}
		if err != nil {
			panic(fmt.Sprintf("schema: field %s is no object: %v", f.Name, err))
		}
	}
	return members
}

// Parse reads the field's value from the text of a path or a query. The result is what Check takes.
func (f *Field) Parse(text string) (any, error) {
	switch f.Kind {
	case Integer, Number:
		number, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(number) || math.IsInf(number, 0) || strings.ContainsAny(text, "xX") { // nor hexadecimal
			return nil, errors.New("must be a number")
		}
		return number, nil
	case Boolean:
		switch text {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return nil, errors.New("must be true or false")
	case List:
		values, err := Values(text)
		list := make([]any, len(values))
		for i, value := range values {
			list[i] = value.Word()
		}
		return list, err
	}
	return text, nil
}
