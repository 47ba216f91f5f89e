package parquet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	pq "github.com/parquet-go/parquet-go"
)

// How much of a value is present, as the library counts it: the column, of a list the list, and an entry in it.
const (
	missing = iota
	present
	entry
)

// add adds a value to a column of the batch. An empty text is a value of texts only.
func (w *Writer) add(c *column, text []byte) error {
	if text == nil || len(text) == 0 && c.Type != Text {
		c.values = append(c.values, pq.NullValue().Level(0, missing, c.index))
		return nil
	}
	if c.Type == Texts {
		return w.addList(c, text)
	}
	value, err := w.value(c, text)
	if err != nil {
		return err
	}
	c.values = append(c.values, value.Level(0, present, c.index))
	return nil
}

// value reads the text of a value.
func (w *Writer) value(c *column, text []byte) (pq.Value, error) {
	switch c.Type {
	case Integer:
		n, err := strconv.ParseInt(string(text), 10, 64)
		return pq.Int64Value(n), err
	case Number:
		number, err := strconv.ParseFloat(string(text), 64)
		return pq.DoubleValue(number), err
	case Decimal:
		n, err := unscaled(text, c.Decimals)
		return pq.Int64Value(n), err
	case Boolean:
		return pq.BooleanValue(text[0] == 't'), nil
	case Date:
		day, err := time.Parse(time.DateOnly, string(text))
		return pq.Int32Value(int32(day.Unix() / (24 * 60 * 60))), err
	case Time:
		at, err := time.Parse(time.RFC3339, string(text))
		return pq.Int64Value(at.UnixMicro()), err
	}
	return w.copyText(text), nil
}

// copyText copies a text, so that it lasts as long as the batch.
func (w *Writer) copyText(text []byte) pq.Value {
	start := len(w.texts)
	w.texts = append(w.texts, text...)
	return pq.ByteArrayValue(w.texts[start:])
}

// addList adds a list of texts.
func (w *Writer) addList(c *column, text []byte) error {
	var list []string
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	if len(list) == 0 {
		level := present
		if list == nil {
			level = missing
		}
		c.values = append(c.values, pq.NullValue().Level(0, level, c.index))
		return nil
	}
	for i, one := range list {
		c.values = append(c.values, w.copyText([]byte(one)).Level(min(i, 1), entry, c.index))
	}
	return nil
}

// unscaled reads a decimal number as a whole number of its last decimals: 12.5 with 2 of them is 1250. What a figure has behind them, such
// as the noise of a sum of floats, is rounded.
func unscaled(text []byte, decimals int) (int64, error) {
	if bytes.ContainsAny(text, "eE") {
		number, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			return 0, err
		}
		text = strconv.AppendFloat(nil, number, 'f', -1, 64)
	}
	digits, negative := bytes.CutPrefix(text, []byte("-"))
	whole, fraction, _ := bytes.Cut(digits, []byte("."))
	up := len(fraction) > decimals && fraction[decimals] >= '5'
	fraction = fraction[:min(decimals, len(fraction))]
	n, count := int64(0), 0
	add := func(digit byte) bool {
		if n > 0 {
			count++
		}
		n = 10*n + int64(digit-'0')
		return digit >= '0' && digit <= '9' && count < precision
	}
	for _, part := range [][]byte{whole, fraction} {
		for _, digit := range part {
			if !add(digit) {
				return 0, notDecimal(text, decimals)
			}
		}
	}
	for range decimals - len(fraction) {
		if !add('0') {
			return 0, notDecimal(text, decimals)
		}
	}
	if up {
		n++
	}
	if len(whole) == 0 || n >= 1e18 {
		return 0, notDecimal(text, decimals)
	}
	if negative {
		n = -n
	}
	return n, nil
}

func notDecimal(text []byte, decimals int) error {
	return fmt.Errorf("%q is no number of %d digits, %d of them decimals", text, precision, decimals)
}
