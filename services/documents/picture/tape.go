package picture

import (
	"errors"
	"io"
)

// maxTape is how far into a file its metadata is looked for.
const maxTape = 64 << 20

// tape is a stream in which one may seek: it keeps what it has read, up to maxTape, where it ends. play is the stream from its beginning,
// whole; it keeps nothing, and the tape is of no use then. So a picture is read once, and never is in memory as a whole.
type tape struct {
	source io.Reader
	chunks [][]byte // each of chunkSize but the last
	size   int64
	at     int64
	ended  error
}

const chunkSize = 64 << 10

func (t *tape) Read(p []byte) (int, error) {
	for t.size <= t.at {
		if t.ended == nil && t.size >= maxTape {
			t.ended = io.EOF
		}
		if t.ended != nil {
			return 0, t.ended
		}
		t.more()
	}
	chunk := t.chunks[t.at/chunkSize]
	n := copy(p, chunk[t.at%chunkSize:])
	t.at += int64(n)
	return n, nil
}

func (t *tape) more() {
	if t.size%chunkSize == 0 {
		t.chunks = append(t.chunks, make([]byte, 0, chunkSize))
	}
	last := &t.chunks[len(t.chunks)-1]
	n, err := t.source.Read((*last)[len(*last):chunkSize])
	*last = (*last)[:len(*last)+n]
	t.size += int64(n)
	t.ended = err
}

// Seek goes anywhere but relative to the end, which is not known.
func (t *tape) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += t.at
	default:
		return t.at, errors.New("the end of the file is not known")
	}
	if offset < 0 {
		return t.at, errors.New("before the beginning of the file")
	}
	t.at = offset
	return offset, nil
}

func (t *tape) play() io.Reader {
	var parts []io.Reader
	for _, chunk := range t.chunks {
		parts = append(parts, &once{chunk})
	}
	t.chunks = nil
	return io.MultiReader(append(parts, t.source)...)
}

// once is a chunk that is let go when it is read.
type once struct{ chunk []byte }

func (o *once) Read(p []byte) (int, error) {
	if len(o.chunk) == 0 {
		o.chunk = nil
		return 0, io.EOF
	}
	n := copy(p, o.chunk)
	o.chunk = o.chunk[n:]
	return n, nil
}
