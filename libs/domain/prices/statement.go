package prices

import "sync"

// Statement is an SQL statement about costs in its four forms: as recorded or in prices of a year, of today or of a day that is over.
// A form is made when it is first asked for: the long ones are asked for rarely, and a program starts without them.
type Statement struct{ today, past forms }

type forms struct{ asRecorded, inPrices func() string }

// NewStatement gives a statement whose forms are made by form, each once.
func NewStatement(form func(past, inPrices bool) string) Statement {
	once := func(past, inPrices bool) func() string {
		return sync.OnceValue(func() string { return form(past, inPrices) })
	}
	return Statement{
		today: forms{asRecorded: once(false, false), inPrices: once(false, true)},
		past:  forms{asRecorded: once(true, false), inPrices: once(true, true)},
	}
}

// Map makes another statement of each form.
func (s Statement) Map(change func(sql string) string) Statement {
	return NewStatement(func(past, inPrices bool) string {
		forms := s.today
		if past {
			forms = s.past
		}
		if inPrices {
			return change(forms.inPrices())
		}
		return change(forms.asRecorded())
	})
}

// For gives the form for a day, and for prices. Both days are as in 2026-11-23; today is that of the organization.
func (s Statement) For(day, today string, table Table) string {
	forms := s.today
	if day < today {
		forms = s.past
	}
	if table.Empty() {
		return forms.asRecorded()
	}
	return forms.inPrices()
}
