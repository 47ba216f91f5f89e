package table

import "context"

// AsOf shows fields of records as they were on a day: the lists, their streams and single records of the resource have the parameter as_of.
type AsOf struct {
	Doc string // of the parameter
	// Fields are those that are of the day. A list with as_of is neither filtered nor sorted by them: the database has them as they are now.
	Fields []string
	// Read gives values of Fields at the end of a day, by id and field, as the database writes them; nil is null. What it does not give stays
	// as it is. It is asked for a page, or a part of a stream, at once, never in a transaction, and once without ids, to object to the day.
	Read func(ctx context.Context, day string, ids []string) (map[string]map[string]*string, error)
}

// Totals are sums over all records that a list finds, not only those of the page. Lists show them with totals=true;
// others do not pay for them.
type Totals struct {
	Doc  string // of the parameter
	Join string // what the sums read beside the table's alias t, one row for each of its own; it begins with LEFT JOIN, or is empty
	Sums []Sum
	// Groups are fields that group_by divides the records by; empty: the list has no such parameter.
	Groups []string
	// GroupedBy are expressions that records are grouped by in place of a field itself: where what the field names follows from other records.
	GroupedBy map[string]string
}

// Sum is one of the totals.
type Sum struct {
	Name, Doc string
	SQL       string // what is added up
}
