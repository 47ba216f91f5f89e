package prices

// Statement is an SQL statement about costs in its four forms: as recorded or in prices of a year, of today or of a day that is over.
type Statement struct{ today, past forms }

type forms struct{ asRecorded, inPrices string }

// NewStatement makes the forms, once, when a program starts.
func NewStatement(form func(past, inPrices bool) string) Statement {
	return Statement{
		today: forms{asRecorded: form(false, false), inPrices: form(false, true)},
		past:  forms{asRecorded: form(true, false), inPrices: form(true, true)},
	}
}

// Map makes another statement of each form.
func (s Statement) Map(change func(sql string) string) Statement {
	return Statement{
		today: forms{asRecorded: change(s.today.asRecorded), inPrices: change(s.today.inPrices)},
		past:  forms{asRecorded: change(s.past.asRecorded), inPrices: change(s.past.inPrices)},
	}
}

// For gives the form for a day, and for prices. Both days are as in 2026-11-23; today is that of the organization.
func (s Statement) For(day, today string, table Table) string {
	forms := s.today
	if day < today {
		forms = s.past
	}
	if table.Empty() {
		return forms.asRecorded
	}
	return forms.inPrices
}
