package planning

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"

	"ams.internal/services/planning/engine"
)

// outcomes are what became of the elements of a scenario, as they are kept: a block for each 1,000 elements, gzipped year by year, so that
// what waits for the end of a scenario takes little memory.
type outcomes struct {
	blocks [][][]byte  // of each block, its years
	sums   []hash.Hash // of each block, before it is zipped
	zip    *gzip.Writer
	piece  []byte
	zipped bytes.Buffer
}

// add adds a year.
func (o *outcomes) add(all []engine.Outcome) error {
	if o.zip == nil {
		o.blocks = make([][][]byte, (len(all)+engine.BlockSize-1)/engine.BlockSize)
		for range o.blocks {
			o.sums = append(o.sums, sha256.New())
		}
		var err error
		if o.zip, err = gzip.NewWriterLevel(nil, gzip.BestSpeed); err != nil {
			return err
		}
	}
	for n := range o.blocks {
		o.piece = engine.AppendYear(o.piece[:0], all[n*engine.BlockSize:min((n+1)*engine.BlockSize, len(all))])
		_, _ = o.sums[n].Write(o.piece)
		o.zipped.Reset()
		o.zip.Reset(&o.zipped) // members of one file
		_, err := o.zip.Write(o.piece)
		if err = errors.Join(err, o.zip.Close()); err != nil {
			return err
		}
		o.blocks[n] = append(o.blocks[n], bytes.Clone(o.zipped.Bytes()))
	}
	return nil
}

// hash is of a part: its figures, and the blocks of its outcomes.
func (o *outcomes) hash(figures []byte) string {
	sum := sha256.New()
	_, _ = sum.Write(figures)
	for _, block := range o.sums {
		_, _ = sum.Write(block.Sum(nil))
	}
	return hex.EncodeToString(sum.Sum(nil))
}
