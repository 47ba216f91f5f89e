package edge

import (
	"bytes"
	"sync/atomic"
)

// heads looks for requests with both a Content-Length and a Transfer-Encoding among the bytes of a connection. A proxy before us
// may believe the one and we the other: then both read different requests, and one of them is somebody else's. net/http drops the
// Content-Length without a word, so it has to be seen here.
//
// What is looked for is two such lines in one block between empty lines. A body that has them is taken for a head: bodies are
// JSON or forms here, which have no such lines.
type heads struct {
	ambiguous atomic.Bool // once and for all: where the next request begins is not known any more

	line   [len(encodingName)]byte // how the present line begins, in lower case
	length int                     // bytes of the present line
	seen   [2]bool                 // names in the present block
}

const (
	lengthName   = "content-length:"
	encodingName = "transfer-encoding:"
)

// read takes the next bytes of the connection.
func (h *heads) read(piece []byte) {
	for len(piece) > 0 {
		rest := piece
		end := bytes.IndexByte(piece, '\n')
		if end >= 0 {
			rest = piece[:end]
		}
		for _, b := range rest[:min(len(rest), max(0, len(h.line)-h.length))] {
			if 'A' <= b && b <= 'Z' {
				b += 'a' - 'A'
			}
			h.line[h.length] = b
			h.length++
		}
		if end < 0 {
			return
		}
		h.endLine()
		piece = piece[end+1:]
	}
}

func (h *heads) endLine() {
	line := string(h.line[:h.length])
	h.length = 0
	switch {
	case line == "" || line == "\r":
		h.seen = [2]bool{}
		return
	case len(line) >= len(lengthName) && line[:len(lengthName)] == lengthName:
		h.seen[0] = true
	case line == encodingName:
		h.seen[1] = true
	}
	if h.seen[0] && h.seen[1] {
		h.ambiguous.Store(true)
	}
}
