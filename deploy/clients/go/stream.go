package ams

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

const ndjson = "application/x-ndjson"

// Stream gives the whole filtered collection as of one moment, in one request and in constant memory. An error is the last that it
// gives: a stream that broke off is one, it never ends early and looks whole.
//
// Read it as fast as you can: the service breaks off a stream that is read too slowly.
func (c *Collection[R, W, P]) Stream(ctx context.Context, filters Filters) iter.Seq2[*R, error] {
	return func(yield func(*R, error) bool) {
		response, err := c.client.Open(ctx, Request{Path: c.path, Query: filters.values(), Accept: ndjson})
		if err != nil {
			yield(nil, err)
			return
		}
		defer response.Body.Close()
		if got := response.Header.Get("Content-Type"); !strings.HasPrefix(got, ndjson) {
			yield(nil, fmt.Errorf("%s cannot be streamed: the service answers with %s", c.path, got))
			return
		}
		lines := bufio.NewReaderSize(response.Body, 64<<10)
		for read := 0; ; read++ {
			line, err := readLine(lines)
			if errors.Is(err, io.EOF) {
				return
			}
			record := new(R)
			if err == nil {
				err = decode(line, record)
			}
			if err != nil {
				yield(nil, fmt.Errorf("the stream of %s broke off after %d records: %w", c.path, read, err))
				return
			}
			if !yield(record, nil) {
				return
			}
		}
	}
}

// readLine gives a line, which is good until the next one is read; io.EOF only behind a whole line.
func readLine(lines *bufio.Reader) ([]byte, error) {
	line, err := lines.ReadSlice('\n')
	var long []byte
	for errors.Is(err, bufio.ErrBufferFull) {
		long = append(long, line...)
		line, err = lines.ReadSlice('\n')
	}
	if long != nil {
		line = append(long, line...)
	}
	if errors.Is(err, io.EOF) && len(line) > 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return line, err
}
