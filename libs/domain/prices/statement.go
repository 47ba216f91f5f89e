package prices

import "sync"

// Statement is an SQL statement about costs in its forms: as recorded or in prices of a year, of today or of a day that is over, with
// renewals by the years that were typed alone or else by lives.
// A form is made when it is first asked for: the long ones are asked for rarely, and a program starts without them.
type Statement struct{ forms map[Form]func() string }

// Form says which form of a statement it is.
type Form struct{ Past, InPrices, ByLife bool }

// NewStatement gives a statement whose forms are made by form, each once.
func NewStatement(form func(f Form) string) Statement {
	s := Statement{map[Form]func() string{}}
	for n := range 8 {
		f := Form{n&1 != 0, n&2 != 0, n&4 != 0}
		s.forms[f] = sync.OnceValue(func() string { return form(f) })
	}
	return s
}

// Map makes another statement of each form.
func (s Statement) Map(change func(sql string) string) Statement {
	return NewStatement(func(f Form) string { return change(s.forms[f]()) })
}

// For gives the form for a day, for prices, and for what renewals are due by. Both days are as in 2026-11-23; today is that of the
// organization.
func (s Statement) For(day, today string, table Table, byLife bool) string {
	return s.forms[Form{Past: day < today, InPrices: !table.Empty(), ByLife: byLife}]()
}
