package odata

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"ams.internal/libs/schema"
)

// Stream writes the rows of a report that come one after the other, of which nobody knows how many there are. They are in one response, as
// they come: there are no pages, and $orderby is refused.
type Stream struct {
	Filled   *huma.Schema // of rows, in which lists that are null are shown empty; nil where none is
	Texts    *huma.Schema // of rows, in which numbers are shown as texts; nil where none is
	request  *Request
	options  *Options
	filter   *rowFilter
	to       io.Writer
	line     []byte // what has come of the next row
	number   int64  // of the last row that came
	Total    int64  // how many rows the filter has kept
	shown    int64
	complete bool // no further row can change the response
}

// errComplete ends a report whose further rows are not asked for.
var errComplete = errors.New("the rows that follow are not asked for")

// NewStream checks what is asked of rows with members of these names.
func NewStream(request *Request, names []string, o *Options) (*Stream, error) {
	var problems schema.Problems
	filter := newRowFilter(names, o, &problems)
	const whole = "is not had of this report, whose rows come in one response and in their own order"
	if o.OrderBy != nil {
		problems.Add("$orderby", whole+"; sort them where you read them")
	}
	if o.Token != "" {
		problems.Add("$skiptoken", whole)
	}
	return &Stream{request: request, options: o, filter: filter}, problems.Err()
}

// Write takes lines of NDJSON, one row each, in pieces of any size.
func (s *Stream) Write(piece []byte) (int, error) {
	for rest := piece; len(rest) > 0; {
		line, behind, whole := bytes.Cut(rest, []byte("\n"))
		s.line, rest = append(s.line, line...), behind
		if !whole {
			break
		}
		if err := s.row(s.line); err != nil {
			return 0, err
		}
		s.line = s.line[:0]
	}
	return len(piece), nil
}

func (s *Stream) row(line []byte) error {
	s.number++
	text := append(strconv.AppendInt([]byte(`{"`+RowNumber+`":`), s.number, 10), ',')
	text = append(text, line[1:]...)
	if s.filter.filter != nil || s.options.Select != nil || s.Filled != nil || s.Texts != nil {
		var row Row
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&row); err != nil {
			return err
		}
		if s.Filled != nil {
			FillLists(row, s.Filled)
		}
		if !s.filter.keeps(row) {
			return nil
		}
		if s.Texts != nil {
			TextNumbers(row, s.Texts)
		}
		var err error
		if text, err = json.Marshal(s.options.selected(row)); err != nil {
			return err
		}
	}
	if s.Total++; s.request.Count || s.Total <= s.options.Skip {
		return nil
	}
	if s.options.Top >= 0 && s.shown == s.options.Top {
		if s.complete = !s.options.Count; s.complete {
			return errComplete
		}
		return nil
	}
	if s.shown++; s.shown > 1 {
		text = append([]byte{','}, text...)
	}
	_, err := s.to.Write(text)
	return err
}

// Respond writes a response with the rows that report writes.
func (s *Stream) Respond(to io.Writer, report func(io.Writer) error) error {
	s.to = to
	if _, err := to.Write(s.request.Begin(nil, s.options)); err != nil {
		return err
	}
	if err := report(s); err != nil && !s.complete {
		return err
	}
	_, err := to.Write(s.request.End(nil, s.options, s.Total, ""))
	return err
}
