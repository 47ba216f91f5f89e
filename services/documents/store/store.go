// Package store stores the contents of documents as immutable objects: in a folder of this machine, or in a bucket of an S3 server.
// It knows nothing of documents, organizations or requests.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"ams.internal/libs/transaction"
)

// Errors of a store. What an error wraps says more, for the log.
var (
	ErrExists      = errors.New("the key is taken")
	ErrNotFound    = errors.New("there is no such object or upload")
	ErrUnavailable = errors.New("the store does not answer")
	ErrFull        = errors.New("the store is full")
)

var errRange = errors.New("the range begins after the end of the object")

// Limits of S3, which both stores have.
const (
	PartSize    = 8 << 20 // of each part but the last, as this product sends them
	MinPartSize = 5 << 20 // the least that a part may have which is not the last
	MaxParts    = 10_000  // the highest number of a part
)

// Store keeps objects. A key is "<folder>/<name>", where both are letters, digits, "-", "_" and ".", and begin with a letter or a digit.
//
// What is written is durable when the call returns, and is there as a whole or not at all. All calls may be made at once, also for
// one key, from several processes, and none in a database transaction. Errors are those above, the context's, and those
// of readers that were given.
//
// A store that does not answer is ErrUnavailable within 2 seconds, also while it is written to; one that stops in the middle of what is
// read, after 15 seconds of silence.
type Store interface {
	// Put writes an object of exactly size bytes, PartSize at most; larger ones are written in parts. ErrExists if the key is taken;
	// io.ErrUnexpectedEOF if body is shorter. Of a body that is longer, size bytes are taken.
	Put(ctx context.Context, key string, body io.Reader, size int64) error
	// Open reads length bytes, or as many as there are, from an offset within the object; -1 all to the end. What is before is not
	// read. ErrNotFound.
	Open(ctx context.Context, key string, from, length int64) (io.ReadCloser, error)
	// Stat describes an object. ErrNotFound.
	Stat(ctx context.Context, key string) (Object, error)
	// Delete removes an object. That there is none is no error.
	Delete(ctx context.Context, key string) error
	// List calls f for the objects whose keys begin with prefix, in the order of their keys. An error of f ends it, and is returned.
	List(ctx context.Context, prefix string, f func(Object) error) error

	// Begin begins to write an object in parts, and names the upload.
	Begin(ctx context.Context, key string) (upload string, err error)
	// PutPart writes a part, 1 to MaxParts. A number that is written again replaces the part. ErrNotFound if there is no such upload.
	// A power failure may take the part away before SyncPart, or Complete.
	PutPart(ctx context.Context, key, upload string, number int, body []byte) (Part, error)
	// SyncPart returns when a part that was written stays whatever happens. Who writes the whole object in one go does without it.
	SyncPart(ctx context.Context, key, upload string, part Part) error
	// Complete makes the object of parts, whose numbers ascend. It may be repeated: an object of that size which is there already is
	// success, one of another size is ErrExists. ErrNotFound if the upload, or a part as it is given, is not there.
	Complete(ctx context.Context, key, upload string, parts []Part) error
	// Abort removes an upload with its parts. That there is none is no error.
	Abort(ctx context.Context, key, upload string) error
	// ListUploads calls f for every upload that was neither completed nor aborted. An error of f ends it, and is returned.
	ListUploads(ctx context.Context, f func(Upload) error) error

	// Check is nil if the store can be reached.
	Check(ctx context.Context) error
}

// Object describes an object.
type Object struct {
	Key        string
	Size       int64 // bytes
	ModifiedAt time.Time
}

// Part is a part of an upload as it was written.
type Part struct {
	Number int
	Size   int64  // bytes
	Tag    string // of these bytes: a part that was replaced by others has another
}

// Upload is an object that is being written in parts.
type Upload struct {
	Key       string
	ID        string
	StartedAt time.Time
}

var wellFormed = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]{0,99}/[0-9A-Za-z][0-9A-Za-z._-]{0,99}$`)

// S3 servers give names of their own.
var wellFormedUpload = regexp.MustCompile(`^[0-9A-Za-z_-][0-9A-Za-z._-]*$`)

// check refuses a call that cannot be right. Nobody waits for a store in a database transaction.
func check(ctx context.Context, key string) error {
	transaction.MustNotRun(ctx, "call the store")
	return errors.Join(checkKey(key), ctx.Err())
}

func checkKey(key string) error {
	if !wellFormed.MatchString(key) {
		return fmt.Errorf("%q is no key of a store", key)
	}
	return nil
}

func checkPart(number int, size int64) error {
	if number < 1 || number > MaxParts || size < 1 {
		return fmt.Errorf("part %d of %d bytes: a number is 1 to %d, and a part is not empty", number, size, MaxParts)
	}
	return nil
}

func checkSize(size int64) error {
	if size < 0 || size > PartSize {
		return fmt.Errorf("an object of %d bytes: more than %d are written in parts", size, PartSize)
	}
	return nil
}

// checkUpload refuses what names no upload of a store, so that it leads nowhere else.
func checkUpload(upload string) error {
	if len(upload) > 1024 || !wellFormedUpload.MatchString(upload) {
		return fmt.Errorf("%w: upload %q", ErrNotFound, upload)
	}
	return nil
}

// checkParts gives the size of the object that parts make.
func checkParts(parts []Part) (size int64, err error) {
	if len(parts) == 0 {
		return 0, errors.New("an object has one part at least")
	}
	for i, part := range parts {
		switch err := checkPart(part.Number, part.Size); {
		case err != nil:
			return 0, err
		case i > 0 && part.Number <= parts[i-1].Number:
			return 0, fmt.Errorf("part %d stands after part %d", part.Number, parts[i-1].Number)
		case i < len(parts)-1 && part.Size < MinPartSize:
			return 0, fmt.Errorf("part %d has %d bytes: each but the last has %d at least", part.Number, part.Size, MinPartSize)
		}
		size += part.Size
	}
	return size, nil
}

// completed says whether the object that Complete makes is there. ErrExists if it is another.
func completed(ctx context.Context, s Store, key string, size int64) (bool, error) {
	switch object, err := s.Stat(ctx, key); {
	case errors.Is(err, ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	case object.Size != size:
		return false, fmt.Errorf("%w: %s has %d bytes, not %d", ErrExists, key, object.Size, size)
	}
	return true, nil
}

// none is the error of a removal: that there is nothing is none.
func none(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// source reads what Put writes on behalf of its caller: as many bytes as were promised.
type source struct {
	ctx    context.Context
	reader io.Reader
	left   int64
	err    error // that reading had
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	if s.err = s.ctx.Err(); s.err != nil {
		return 0, s.err
	}
	n, err := s.reader.Read(p[:min(int64(len(p)), s.left)])
	if s.left -= int64(n); s.left > 0 && err == io.EOF { //nolint:errorlint // a reader gives it as it is
		err = io.ErrUnexpectedEOF
	}
	if err != nil && err != io.EOF { //nolint:errorlint // as above
		s.err = err
	}
	return n, err
}

// cause is the error of Put: that of reading, which is not the store's, before that of writing.
func (s *source) cause(err error) error {
	if s.err != nil {
		return s.err
	}
	return err
}
