package engine

import (
	"encoding/binary"
	"errors"
)

// BlockSize is of how many elements a block has the outcomes.
const BlockSize = 1000

// AppendYear appends the outcomes of a block in a year: one field after the other. A block is its years, one after the other; the same
// outcomes are the same bytes.
func AppendYear(block []byte, outcomes []Outcome) []byte {
	for _, field := range fields {
		for i := range outcomes {
			block = binary.AppendVarint(block, field.get(&outcomes[i]))
		}
	}
	return block
}

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
