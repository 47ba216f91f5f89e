package documents

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/services/documents/filename"
	"ams.internal/services/documents/mediatype"
	"ams.internal/services/documents/store"
)

// arrival is a content that has arrived and is in the store, until a revision has it.
type arrival struct {
	blob      string // empty of one that is compared with what came before, and not kept
	upload    string // the store's, while it is written in parts
	size      int64  // bytes
	sha256    []byte
	mediaType mediatype.Type
	declared  *string // the media type that came with it
	fileName  string
	comment   *string

	figures          figures
	usedBefore, used int64 // of the organization's storage, without it and with it
}

// sent is what comes with the bytes of a content.
type sent struct {
	declared, name string
	length         int64 // -1 where it is not known
	keep           bool  // else the bytes are read to be compared, and not kept
	// large is called once for a content of more than one part, before the second is read: what would be refused at the end is refused
	// before somebody has sent gigabytes.
	large func(ctx context.Context) error
}

// receive reads a content to its end and puts it into the store: as one object, or in parts of 8 MiB. What fails is taken back,
// at once or by the sweeper.
func (d *documents) receive(ctx context.Context, body io.Reader, s sent) (*arrival, error) {
	if err := d.uploads.enter(ctx); err != nil {
		return nil, err
	}
	defer d.uploads.leave(ctx)
	buffer := partBuffers.Get().(*[store.PartSize]byte)
	defer partBuffers.Put(buffer)
	n, err := readPart(body, buffer[:])
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fault.Invalid("content_empty", "The file is empty.")
	}
	a := &arrival{fileName: filename.Clean(s.name)}
	if s.declared != "" {
		a.declared = &s.declared
	}
	if a.mediaType, err = mediatype.Check(buffer[:min(n, mediatype.HeadSize)], s.declared, a.fileName); err != nil {
		return nil, err
	}
	digest := sha256.New()
	if !s.keep {
		return a, a.compare(body, digest, buffer[:], n)
	}
	if a.blob, err = d.beginBlob(ctx, max(int64(n), s.length), blobLease, 0); err != nil {
		return nil, err
	}
	err = d.withLease(ctx, a.blob, func(ctx context.Context) error { return d.put(ctx, body, s, a, digest, buffer, n) })
	if err != nil {
		// A store that has not said what became of the bytes may write them after they were deleted, and one that is away is not asked once more
		// while somebody waits for the refusal: that is for the sweeper.
		if !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			d.abandonBlob(ctx, a.blob, a.upload)
		}
		return nil, storeFault(err)
	}
	a.sha256 = digest.Sum(nil)
	metrics.received.Add(ctx, a.size)
	return a, nil
}

// readPart fills a buffer as far as the body goes.
func readPart(body io.Reader, buffer []byte) (int, error) {
	n := 0
	for n < len(buffer) {
		read, err := body.Read(buffer[n:])
		n += read
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil { // also io.ErrUnexpectedEOF: of a body that was cut off
			return n, err
		}
	}
	return n, nil
}

// compare reads the rest of a content whose first n bytes are in the buffer.
func (a *arrival) compare(body io.Reader, digest hash.Hash, buffer []byte, n int) error {
	for {
		digest.Write(buffer[:n])
		a.size += int64(n)
		if n < len(buffer) {
			a.sha256 = digest.Sum(nil)
			return nil
		}
		var err error
		if n, err = readPart(body, buffer); err != nil {
			return err
		}
	}
}

// put writes a content whose first n bytes are in the buffer.
func (d *documents) put(ctx context.Context, body io.Reader, s sent, a *arrival, digest hash.Hash,
	buffer *[store.PartSize]byte, n int) error {
	object := key(principal.From(ctx).OrganizationID, a.blob)
	if n < len(buffer) {
		digest.Write(buffer[:n])
		a.size = int64(n)
		return d.store.Put(ctx, object, bytes.NewReader(buffer[:n]), a.size)
	}
	if s.large != nil {
		if err := s.large(ctx); err != nil {
			return err
		}
	}
	var err error
	if a.upload, err = d.store.Begin(ctx, object); err != nil {
		return err
	}
	if err := d.noteUpload(ctx, a.blob, a.upload); err != nil {
		return err
	}
	reserved := max(int64(n), s.length)
	var parts []store.Part
	for n > 0 {
		if a.size += int64(n); a.size > maxContent {
			return fault.Invalid("content_too_large", "The file is larger than %d bytes, which is the most.", int64(maxContent))
		}
		if more := a.size - reserved; more > 0 {
			if err := d.reserveMore(ctx, a.blob, more); err != nil {
				return err
			}
			reserved += more
		}
		digest.Write(buffer[:n])
		part, err := d.store.PutPart(ctx, object, a.upload, len(parts)+1, buffer[:n])
		if err != nil {
			return err
		}
		parts = append(parts, part)
		if n < len(buffer) {
			break
		}
		if n, err = readPart(body, buffer[:]); err != nil {
			return err
		}
	}
	return d.store.Complete(ctx, object, a.upload, parts)
}

// storeFault is the 503 of a store that is away or full.
func storeFault(err error) error {
	switch {
	case errors.Is(err, store.ErrUnavailable):
		return fault.Unavailable("store_unavailable", "The store of documents does not answer; nothing was written. Records are not affected.").
			WithCause(err)
	case errors.Is(err, store.ErrFull):
		return fault.Unavailable("store_full",
			"The store of documents has no room; nothing was written. Records are not affected.").WithCause(err)
	}
	return err
}
