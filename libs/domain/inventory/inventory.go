// Package inventory is how lifecycle planning reads what an organization has from the services that keep it: each writes lines of JSON from
// one snapshot, and at the end how many they were and their hash. Without that end a reader has nothing: what broke off is not half an
// inventory.
package inventory

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"unique"

	"github.com/jackc/pgx/v5"
)

// Line is a record. Type says of what: asset, system, building and segment may deteriorate; site and network are where those are;
// price_index brings their costs to the prices of another year. Reported is no record: it is what the report on the state of infrastructure
// says of a service category at that moment, its cost in the prices of a year.
type Line struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Name string `json:"name"`
	Code string `json:"code,omitempty"`

	Counts     bool   `json:"counts,omitempty"` // it is there and in use, and so is all that it is in
	SiteID     string `json:"site_id,omitempty"`
	BuildingID string `json:"building_id,omitempty"`
	SystemID   string `json:"system_id,omitempty"`
	NetworkID  string `json:"network_id,omitempty"`

	ServiceCategory   string   `json:"service_category,omitempty"` // by which the report on the state of infrastructure counts it
	Category          string   `json:"category,omitempty"`
	UniformatCode     string   `json:"uniformat_code,omitempty"`
	NetworkAssetClass string   `json:"network_asset_class,omitempty"`
	Material          string   `json:"material,omitempty"`
	SurfaceType       string   `json:"surface_type,omitempty"`
	FunctionalClass   string   `json:"functional_class,omitempty"`
	DiameterMM        *float64 `json:"diameter_mm,omitempty"`
	CustomFields      Fields   `json:"custom_fields,omitempty"` // of a segment with its attributes

	Quantity    *float64 `json:"quantity,omitempty"` // of an asset; length in m of a segment; floor area in m² of a building
	Cost        *Cents   `json:"cost,omitempty"`     // to replace it
	CostYear    int      `json:"cost_year,omitempty"`
	PricesOf    int      `json:"prices_of,omitempty"`      // of what is reported: the year in whose prices its cost is
	Typed       *Cents   `json:"deferred_typed,omitempty"` // deferred maintenance that somebody stated; of a system also that of its assets
	Found       *Cents   `json:"deferred_found,omitempty"` // that follows from its own deficiencies
	Life        int      `json:"useful_life_years,omitempty"`
	Installed   string   `json:"installed,omitempty"` // the day; of a pipe that was relined, when that was
	RenewalYear int      `json:"planned_renewal_year,omitempty"`

	Rating      int      `json:"condition_rating,omitempty"`
	Index       *float64 `json:"condition_index,omitempty"` // 0 to 100, of the assessment that the rating is from
	RatedOn     string   `json:"condition_assessed_on,omitempty"`
	Probability int      `json:"probability_of_failure,omitempty"`
	Consequence int      `json:"consequence_of_failure,omitempty"`

	Values map[int]float64 `json:"values,omitempty"` // of a price index, by year

	*End
}

// Fields are custom fields as they were sent: an object. Few are asked for, and a map of them takes many times their memory.
type Fields = json.RawMessage

// Share has the line share the words that many lines have with them.
func (l *Line) Share() {
	for _, word := range []*string{&l.Type, &l.SiteID, &l.BuildingID, &l.SystemID, &l.NetworkID, &l.ServiceCategory, &l.Category,
		&l.UniformatCode, &l.NetworkAssetClass, &l.Material, &l.SurfaceType, &l.FunctionalClass, &l.Installed, &l.RatedOn} {
		*word = unique.Make(*word).Value()
	}
}

// Has gives what a record has in its custom fields.
func (l *Line) Has() map[string]any {
	var fields map[string]any
	if len(l.CustomFields) > 2 && json.Unmarshal(l.CustomFields, &fields) != nil {
		return nil // it is no object, which nobody sends
	}
	return fields
}

// End is the last line: what came before it.
type End struct {
	End    bool   `json:"end"`
	Count  int    `json:"count"`
	SHA256 string `json:"sha256"`
	AsOf   string `json:"as_of"` // when the snapshot was taken, RFC 3339
}

// Cents is an amount of money; in JSON a number with two decimals.
type Cents int64

// UnmarshalJSON reads a decimal number, exactly.
func (c *Cents) UnmarshalJSON(text []byte) error {
	whole, sign := int64(0), int64(1)
	decimals := -1
	for _, digit := range text {
		switch {
		case digit == '-':
			sign = -1
		case digit == '.':
			decimals = 0
		case digit < '0' || digit > '9':
			return fmt.Errorf("%s is no amount of money", text)
		case decimals < 2:
			whole = whole*10 + int64(digit-'0')
			if decimals >= 0 {
				decimals++
			}
		}
	}
	for decimals = max(decimals, 0); decimals < 2; decimals++ {
		whole *= 10
	}
	*c = Cents(sign * whole)
	return nil
}

// MarshalJSON writes it with two decimals.
func (c Cents) MarshalJSON() ([]byte, error) {
	sign, n := "", int64(c)
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Appendf(nil, "%s%d.%02d", sign, n/100, n%100), nil
}

// longest is how long all records of one kind may take to be read, as an export may.
const longest = "5min"

// Write writes what is reported, what statements give, each a column of JSON objects, and the end. tx is one snapshot.
func Write(ctx context.Context, tx pgx.Tx, w io.Writer, reported []Line, statements ...string) error {
	out := bufio.NewWriterSize(w, 64<<10)
	end := End{End: true}
	sum := sha256.New()
	write := func(line []byte) error { // text of JSON, without line feeds
		line = append(line, '\n')
		end.Count++
		_, _ = sum.Write(line)
		_, err := out.Write(line)
		return err
	}
	for i := range reported {
		line, err := json.Marshal(&reported[i])
		if err != nil {
			return err
		}
		if err := write(line); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = '"+longest+"'"); err != nil {
		return err
	}
	if err := tx.QueryRow(ctx, `SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`).Scan(&end.AsOf); err != nil {
		return err
	}
	for _, sql := range statements {
		rows, err := tx.Query(ctx, sql)
		if err != nil {
			return err
		}
		for rows.Next() {
			if err := write(rows.RawValues()[0]); err != nil {
				rows.Close()
				return err
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	end.SHA256 = hex.EncodeToString(sum.Sum(nil))
	if err := json.NewEncoder(out).Encode(end); err != nil {
		return err
	}
	return out.Flush()
}

// ErrTruncated is that lines came without their end.
var ErrTruncated = errors.New("the inventory broke off before its end")

// longestLine is of 50 custom fields and 50 attributes with long texts.
const longestLine = 4 << 20

// Read hands out each line as it was written, without its line feed, and gives the end. What each was given counts for nothing where there
// is an error.
func Read(r io.Reader, each func(text []byte) error) (End, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), longestLine)
	lines.Split(wholeLine)
	sum, count := sha256.New(), 0
	for lines.Scan() {
		if len(lines.Bytes()) > 7 && string(lines.Bytes()[:7]) == `{"end":` {
			return endOf(lines.Bytes(), sum, count)
		}
		count++
		_, _ = sum.Write(lines.Bytes())
		_, _ = sum.Write([]byte{'\n'})
		if err := each(lines.Bytes()); err != nil {
			return End{}, err
		}
	}
	if err := lines.Err(); err != nil {
		return End{}, fmt.Errorf("%w: %w", ErrTruncated, err)
	}
	return End{}, ErrTruncated
}

// wholeLine is bufio.ScanLines but for a last line without its line feed, which broke off.
func wholeLine(data []byte, atEOF bool) (advance int, line []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return 0, nil, io.ErrUnexpectedEOF
	}
	return 0, nil, nil
}

func endOf(text []byte, sum hash.Hash, count int) (end End, err error) {
	if err := json.Unmarshal(text, &end); err != nil {
		return End{}, fmt.Errorf("%w: %w", ErrTruncated, err)
	}
	if end.Count != count || end.SHA256 != hex.EncodeToString(sum.Sum(nil)) {
		return End{}, fmt.Errorf("%w: it says %d lines, there are %d", ErrTruncated, end.Count, count)
	}
	return end, nil
}
