package edge

import (
	"bytes"
	"strconv"
	"strings"
	"sync/atomic"
)

// heads looks for requests with both a Content-Length and a Transfer-Encoding among the bytes of a connection. A proxy before us
// may believe the one and we the other: then both read different requests, and one of them is somebody else's. net/http drops the
// Content-Length without a word, so it has to be seen here.
//
// What is looked for is two such lines in one block between empty lines. The bytes of a body are passed over: a document may
// have any lines, also those of a message. Where it is not plain to us how long a body is, it is looked at as if it were heads,
// and so is all that follows.
type heads struct {
	ambiguous atomic.Bool // once and for all: where the next request begins is not known any more

	unclear bool   // bodies are not told from heads any more
	body    int64  // bytes that belong to a body
	chunks  chunks // where in a body in chunks the connection is

	line  []byte // how the present line begins
	end   []byte // how the first line of a block ends
	block struct {
		lines, lengths, encodings int
		length                    int64
	}
}

// chunks is the place in a body in chunks (RFC 9112, section 7.1).
type chunks int

const (
	noChunks chunks = iota
	chunkSize
	trailers
)

const (
	lengthName   = "Content-Length"
	encodingName = "Transfer-Encoding"
	maxHeadLine  = 64 // bytes of a line that are kept
)

// read takes the next bytes of the connection.
func (h *heads) read(piece []byte) {
	for len(piece) > 0 && !h.ambiguous.Load() {
		if h.body > 0 {
			passed := min(h.body, int64(len(piece)))
			h.body, piece = h.body-passed, piece[passed:]
			continue
		}
		rest := piece
		end := bytes.IndexByte(piece, '\n')
		if end >= 0 {
			rest = piece[:end]
		}
		h.line = append(h.line, rest[:min(len(rest), maxHeadLine-len(h.line))]...)
		if h.block.lines == 0 {
			h.end = append(h.end, rest[max(0, len(rest)-len(version)-1):]...)
			h.end = h.end[max(0, len(h.end)-len(version)-1):]
		}
		if end < 0 {
			return
		}
		h.endLine(strings.TrimSuffix(string(h.line), "\r"))
		h.line, piece = h.line[:0], piece[end+1:]
	}
}

// version is how the first line of a request ends of which it is plain how long its body is.
const version = " HTTP/1.1"

func (h *heads) endLine(line string) {
	if h.chunks == chunkSize {
		h.endChunkSize(line)
		return
	}
	if line == "" {
		h.endBlock()
		return
	}
	if h.block.lines++; h.block.lines == 1 && !strings.HasSuffix(strings.TrimSuffix(string(h.end), "\r"), version) && h.chunks == noChunks {
		h.unclear = true
	}
	name, value, _ := strings.Cut(line, ":")
	switch {
	case strings.EqualFold(name, lengthName):
		h.block.lengths++
		var err error
		if h.block.length, err = strconv.ParseInt(strings.Trim(value, " \t"), 10, 63); err != nil {
			h.unclear = true
		}
	case strings.EqualFold(name, encodingName):
		h.block.encodings++
		h.unclear = h.unclear || !strings.EqualFold(strings.Trim(value, " \t"), "chunked")
	}
	if h.block.lengths > 0 && h.block.encodings > 0 {
		h.ambiguous.Store(true)
	}
	h.unclear = h.unclear || h.block.lengths > 1 || h.block.encodings > 1
}

// endBlock is the end of a head or of trailers.
func (h *heads) endBlock() {
	switch {
	case h.unclear, h.chunks == trailers:
		h.chunks = noChunks
	case h.block.encodings > 0:
		h.chunks = chunkSize
	default:
		h.body = h.block.length
	}
	h.block.lines, h.block.lengths, h.block.encodings, h.block.length, h.end = 0, 0, 0, 0, h.end[:0]
}

func (h *heads) endChunkSize(line string) {
	digits, _, _ := strings.Cut(line, ";")
	size, err := strconv.ParseUint(strings.TrimRight(digits, " \t"), 16, 62)
	switch {
	case err != nil:
		h.unclear, h.chunks = true, noChunks
	case size == 0:
		h.chunks = trailers
	default:
		h.body = int64(size) + 2 // the line break behind it
	}
}
