package read

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"

	"ams.internal/libs/resource/internal/table"
)

// The names of a chunk of rows are looked up together: those of a page, unless it is a large one.
const (
	chunkRows  = table.MaxPerPage
	chunkBytes = inMemory
)

// appendRow appends a row that waits in a spool for the names of what it refers to: the length of each value, and the value.
func appendRow(dst []byte, values table.Values) []byte {
	for _, value := range values {
		if value == nil {
			dst = append(dst, 0)
			continue
		}
		dst = append(binary.AppendUvarint(dst, uint64(len(value))+1), value...)
	}
	return dst
}

// readRow reads what appendRow has appended.
func readRow(from *bufio.Reader, columns int) (values table.Values, size int, err error) {
	values = make(table.Values, columns)
	for i := range values {
		length, err := binary.ReadUvarint(from)
		switch {
		case errors.Is(err, io.EOF) && i > 0:
			return nil, 0, io.ErrUnexpectedEOF
		case err != nil:
			return nil, 0, err
		case length == 0:
			continue
		}
		values[i] = make([]byte, length-1)
		if _, err := io.ReadFull(from, values[i]); errors.Is(err, io.EOF) {
			return nil, 0, io.ErrUnexpectedEOF
		} else if err != nil {
			return nil, 0, err
		}
		size += len(values[i])
	}
	return values, size, nil
}

// withNames gives each row that was spooled, with the names of what its chunk refers to.
func (t list) withNames(ctx context.Context, q *query, spooled io.Reader,
	each func(values table.Values, names []map[string]string) error) error {
	from, columns := bufio.NewReader(spooled), len(q.selected())
	for ended := error(nil); ended == nil; {
		var rows []table.Values
		for size := 0; len(rows) < chunkRows && size < chunkBytes; {
			var values table.Values
			var n int
			if values, n, ended = readRow(from, columns); ended != nil {
				break
			}
			rows, size = append(rows, values), size+n
		}
		if ended != nil && !errors.Is(ended, io.EOF) {
			return ended
		}
		if len(rows) == 0 {
			return nil
		}
		names, err := t.complete(ctx, q, rows)
		if err != nil {
			return err
		}
		for _, values := range rows {
			if err := each(values, names); err != nil {
				return err
			}
		}
	}
	return nil
}
