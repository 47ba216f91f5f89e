package mcp

// instructions are what every assistant reads before its first call.
func instructions(readOnly bool) string {
	text := `This server holds an organization's asset management data: sites with buildings, their systems (roof, HVAC …) and assets; networks with segments (roads, pipes, bridges); work orders; levels of service; capital projects.

- Start with get_context. People speak of names: turn them into ids with find. Never make up an id.
- What is found or asked for is a finding (list_findings); work is made of it, and its completion corrects it.
- Condition ratings go from 1 (very good) to 5 (very poor). FCI is need ÷ replacement value in percent, always for a horizon of years: say which. Money is in the currency of get_context. Names of figures end in their unit: _pct, _years, _km, _m.
- Figures are of a day (as_of) and in prices of a year (prices_of; as_recorded says what is not): name both when you report them. On a past day, basis counts the records that were entered or changed since, of which some is hindsight.
- A reference to a record is shown as {id, name}.
- Ask for what you need: fields (a list of names) instead of whole records, group_by instead of counting (sort and limit are of the groups then). total is exact, so limit 1 counts. filters is an object {name: value} with every filter of the REST list: numbers have _min and _max, dates _from and _to, a list is any of its values, null is none, custom_fields.KEY works too; a name that does not exist is answered with the nearest that do. q forgives accents, case, spelling and language, and takes a thing with its place (roof lincoln school). sort is a field, -field descends. cursor is a next_cursor, which goes on where a list ended. A result ends at 20,000 characters; "more" says what to ask next.
- An error says what to do. Do not repeat a call that says "do not repeat".`
	if readOnly {
		return text + "\n- This connection is read-only."
	}
	return text + "\n- Before a write, look whether the record is there already, and tell the user what you are going to write. Nothing " +
		"can be deleted here. With the same idempotency_key a call makes no second record."
}
