package engine

import (
	"encoding/binary"
	"math/bits"
)

// mix is a step of SplitMix64 (Steele, Lea and Flood, 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// draw is what chance says of an element in a year of a replication. It depends on these alone, and not on who asks first.
func draw(seed uint64, id ID, year, replication int) uint64 {
	high, low := binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])
	return mix(mix(mix(seed^high)^low) ^ (uint64(year)<<32 + uint64(replication)))
}

// below gives ⌊u·10⁹/2⁶⁴⌋: something with the probability p, in 10⁻⁹, happens if it is less than p.
func below(u uint64) int64 {
	high, _ := bits.Mul64(u, billion)
	return int64(high)
}
