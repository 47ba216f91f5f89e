package write

import (
	"errors"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/table"
)

const (
	// maxRecord is how many bytes the fields of a record may have, beside its geometry: that is limited by its positions.
	maxRecord = 256 << 10
	// maxBulk is how many bytes the records may have that a bulk call changes: all of them are held in memory.
	maxBulk = 16 << 20
)

// errRefused undoes a statement that has written records which may not be so: the changes say why.
var errRefused = errors.New("write: a record is refused")

// refuseLarge objects to records that became larger than a record may be. One that was too large already may stay as large as it is.
func (c *Resource) refuseLarge(changes []*change.Change) error {
	var found error
	for _, it := range changes {
		size, largest := c.size(it.Written)
		if size <= maxRecord {
			continue
		}
		if before, _ := c.size(it.Former); size > before {
			it.FieldError(largest, "this record would take %d kB; a record may take %d kB", size>>10+1, maxRecord>>10)
			found = errRefused
		}
	}
	return found
}

// size is how many bytes the fields take that callers and rules give a record, and the name of the largest one.
func (c *Resource) size(values table.Values) (size int, largest string) {
	largestSize := 0
	for i, value := range values {
		if column := c.Columns[i]; column.Stored && column.Name != c.Geometry {
			if size += len(column.Name) + len(value); len(value) > largestSize {
				largestSize, largest = len(value), column.Name
			}
		}
	}
	return size, largest
}

// counted counts the bytes of the records that a bulk call has read, and refuses more than it may change.
type counted int

func (n *counted) add(values table.Values) error {
	for _, value := range values {
		*n += counted(len(value))
	}
	if *n > maxBulk {
		return fault.Invalid("bulk_too_large", "The records of this call take more than %d MB together; send fewer rows in each call.",
			maxBulk>>20)
	}
	return nil
}
