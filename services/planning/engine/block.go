package engine

import (
	"encoding/binary"
	"errors"
)

// BlockSize is of how many elements a block has the outcomes.
const BlockSize = 1000

// Blocks are the outcomes of a scenario in bytes: the same outcomes are the same bytes. A block has one year after the other, and in a year
// one field after the other.
type Blocks struct{ bytes [][]byte }

// Add appends a year.
func (b *Blocks) Add(outcomes []Outcome) {
	if b.bytes == nil {
		b.bytes = make([][]byte, (len(outcomes)+BlockSize-1)/BlockSize)
	}
	for n := range b.bytes {
		part := outcomes[n*BlockSize : min((n+1)*BlockSize, len(outcomes))]
		for _, field := range fields {
			for i := range part {
				b.bytes[n] = binary.AppendVarint(b.bytes[n], field.get(&part[i]))
			}
		}
	}
}

// All gives the blocks, in the order of the elements.
func (b *Blocks) All() [][]byte { return b.bytes }

// ReadBlock gives the outcomes of a block of so many elements, by year.
func ReadBlock(block []byte, elements int) ([][]Outcome, error) {
	var years [][]Outcome
	for len(block) > 0 {
		outcomes := make([]Outcome, elements)
		for _, field := range fields {
			for i := range outcomes {
				value, n := binary.Varint(block)
				if n <= 0 {
					return nil, errors.New("a block of outcomes ends within a year")
				}
				field.set(&outcomes[i], value)
				block = block[n:]
			}
		}
		years = append(years, outcomes)
	}
	return years, nil
}

// field is one of an outcome, in a whole number that is small as a rule.
type field struct {
	get func(*Outcome) int64
	set func(*Outcome, int64) // after those before it
}

var fields = []field{
	{func(o *Outcome) int64 { return int64(o.Before) }, func(o *Outcome, v int64) { o.Before = Condition(v) }},
	{func(o *Outcome) int64 { return int64(o.After - o.Before) }, func(o *Outcome, v int64) { o.After = o.Before + Condition(v) }},
	{func(o *Outcome) int64 { return int64(o.Treatment) }, func(o *Outcome, v int64) { o.Treatment = int(v) }},
	{func(o *Outcome) int64 { return int64(o.Reason) }, func(o *Outcome, v int64) { o.Reason = Reason(v) }},
	{func(o *Outcome) int64 { return int64(o.Cost) }, func(o *Outcome, v int64) { o.Cost = Cents(v) }},
	{func(o *Outcome) int64 { return int64(o.Rank) }, func(o *Outcome, v int64) { o.Rank = int(v) }},
	{func(o *Outcome) int64 { return int64(o.Blocker) }, func(o *Outcome, v int64) { o.Blocker = int(v) }},
	{func(o *Outcome) int64 { return int64(o.Left) }, func(o *Outcome, v int64) { o.Left = Cents(v) }},
	{func(o *Outcome) int64 { return int64(o.Short) }, func(o *Outcome, v int64) { o.Short = Cents(v) }},
	{func(o *Outcome) int64 { return int64(o.NeedBefore) }, func(o *Outcome, v int64) { o.NeedBefore = Cents(v) }},
	{func(o *Outcome) int64 { return int64(o.NeedAfter - o.NeedBefore) }, func(o *Outcome, v int64) { o.NeedAfter = o.NeedBefore + Cents(v) }},
	{func(o *Outcome) int64 { return int64(o.PriceChange) }, func(o *Outcome, v int64) { o.PriceChange = Cents(v) }},
	{func(o *Outcome) int64 { return int64(o.Risk) }, func(o *Outcome, v int64) { o.Risk = int(v) }},
}
