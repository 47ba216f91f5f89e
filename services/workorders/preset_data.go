package workorders

// presets are plans that laws and standards of Ontario ask for. They are data, and no legal advice: whoever applies one reads the
// instrument itself. Verified are those whose wording was read, in the instrument or quoted word by word; ReadIn says where. Of the others
// it names who says so: an insurer, a regulator's letter, a trade's journal.
var presets = []Preset{
	patrol("1", "FREQ=WEEKLY;BYDAY=MO,WE,FR", 0), patrol("2", "FREQ=WEEKLY;BYDAY=MO,TH", 0),
	patrol("3", "", 7), patrol("4", "", 14), patrol("5", "", 30), // 30 days are not a month
	{Code: "sidewalk-inspection", Name: "Sidewalks, every year", NameFR: "Trottoirs, tous les ans", Instrument: "O. Reg. 239/02",
		Section: "ss. 16.1 (1), 16.2 (1)", ReadIn: "frankcowan.com, sidewalk inspection procedures", Collection: "segments",
		plans: []presetPlan{{name: "Sidewalk inspection", basis: "fixed", rule: yearEnd,
			lead: 240, window: "year", gap: 16, tasks: []string{"Surface discontinuities", "Encroachments beside the sidewalk"}}}},
	{Code: "bridge-inspection", Name: "Bridges and culverts, every second year", NameFR: "Ponts et ponceaux, tous les deux ans",
		Instrument: "O. Reg. 104/97", Section: "s. 2 (3), (3.1)", Verified: true, ReadIn: "O. Reg. 278/06, ontario.ca/laws",
		Collection: "segments", Form: "osim-bridge", plans: []presetPlan{{name: "Bridge inspection after OSIM", basis: "fixed",
			rule: "FREQ=YEARLY;INTERVAL=2;BYMONTH=12;BYMONTHDAY=31", lead: 300, window: "year",
			tasks: []string{"Inspection under the direction of a professional engineer, after the OSIM"}}}},
	{Code: "emergency-lighting", Name: "Emergency lighting, monthly and annual", NameFR: "Éclairage de sécurité, mensuel et annuel",
		Instrument: fireCode, Section: "Div. B, 2.7.3.3", Verified: true, ReadIn: fireCodeExcerpts, Collection: "assets", plans: []presetPlan{
			{name: "Emergency lighting, monthly", basis: "fixed", rule: monthEnd, lead: 27, window: "month",
				tasks: []string{"Pilot lights", "Terminals, clamps and batteries", "Function when the power fails"}},
			{name: "Emergency lighting, annual", basis: "fixed", rule: yearly, lead: 27, window: "month", larger: true,
				tasks: []string{"Pilot lights", "Terminals, clamps and batteries", "Full duration under simulated power failure"}}}},
	{Code: "fire-alarm", Name: "Fire alarm, monthly and annual", NameFR: "Alarme incendie, mensuel et annuel", Instrument: fireCode,
		Section: "Div. B, 6.3 (CAN/ULC-S536)", ReadIn: fireCodeExcerpts, Collection: "assets", plans: []presetPlan{
			{name: "Fire alarm, monthly", basis: "fixed", rule: monthEnd, lead: 27, window: "month",
				tasks: []string{"Monthly test after CAN/ULC-S536"}},
			{name: "Fire alarm, annual", basis: "fixed", rule: yearly, lead: 27, window: "month", larger: true,
				tasks: []string{"Annual test after CAN/ULC-S536"}}}},
	read(true, fireCodeExcerpts, monthly("fire-extinguishers", "Portable extinguishers", "Extincteurs portatifs", fireCode, "Div. B, 6.2",
		"assets", "Place, pressure, seal and tag")),
	read(true, fireCodeExcerpts, monthly("hose-stations", "Hose stations", "Robinets d’incendie armés", fireCode, "Div. B, 6.4", "assets",
		"Hose in position, equipment in place and operable")),
	{Code: "sprinklers", Name: "Sprinklers, annual", NameFR: "Gicleurs, annuel", Instrument: fireCode, Section: "Div. B, 6.5", Verified: true,
		ReadIn: fireCodeExcerpts, Collection: "assets",
		plans: []presetPlan{{name: "Sprinklers, annual", basis: "fixed", rule: yearly, lead: 27, window: "year",
			tasks: []string{"Piping hangers", "Sprinkler heads free of damage, corrosion and paint"}}}},
	read(false, "atis.com, elevator maintenance regulatory changes in Ontario (B44-19, from 2023)", monthly("elevator-firefighters",
		"Elevators, firefighters’ operation", "Ascenseurs, service incendie", "O. Reg. 209/01", "CSA B44 as adopted", "buildings",
		"Phase I recall and phase II in-car operation")),
	{Code: "elevator-full-load", Name: "Elevators, full-load test", NameFR: "Ascenseurs, essai à pleine charge", Instrument: "O. Reg. 209/01",
		Section: "CSA B44 as adopted", ReadIn: "TSSA, update on current regulatory safety issues, January 2014 (CAD 261/13-r1)",
		Collection: "buildings", plans: []presetPlan{{name: "Elevator full-load test", basis: "fixed",
			rule: "FREQ=YEARLY;INTERVAL=5;BYMONTH=12;BYMONTHDAY=31", lead: 240, window: "year",
			tasks: []string{"Full-load test by the contractor"}}}},
	{Code: "playground", Name: "Playgrounds, daily, monthly, annual", NameFR: "Aires de jeu, quotidien, mensuel, annuel",
		Instrument: "CSA Z614", Section: "inspection and maintenance", ReadIn: "OPS Talk, EFMA, spring 2020, responsibilities and inspection " +
			"requirements for playgrounds", Collection: "assets", plans: []presetPlan{
			{name: "Playground, daily visual", basis: "fixed", rule: "FREQ=DAILY", tasks: []string{"Visual inspection"}},
			{name: "Playground, monthly written", basis: "fixed", rule: monthEnd, lead: 27, window: "month",
				tasks: []string{"Detailed inspection, in writing"}},
			{name: "Playground, annual comprehensive", basis: "fixed", rule: yearly, lead: 27, window: "year", larger: true, but: 1,
				tasks: []string{"Comprehensive inspection with a report"}}}},
}

const (
	fireCode = "Fire Code, O. Reg. 213/07"
	// fireCodeExcerpts are quoted without the number of the regulation and the day.
	fireCodeExcerpts = "allardfireprotection.com, Ontario Fire Code excerpts"
	yearEnd          = "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=31"
	monthEnd         = "FREQ=MONTHLY;BYMONTHDAY=-1"
	yearly           = "FREQ=YEARLY;BYMONTH={month};BYMONTHDAY=-1" // the month in which the plan starts
)

func patrol(class, rule string, days int) Preset {
	plan := presetPlan{name: "Road patrol, class " + class, basis: "fixed", rule: rule, tasks: []string{"Patrol, and note what is found"}}
	if days > 0 {
		plan.basis, plan.days = "floating", days
	}
	return Preset{Code: "road-patrol-" + class, Name: "Road patrol, class " + class, NameFR: "Patrouille des routes, catégorie " + class,
		Instrument: "O. Reg. 239/02", Section: "s. 3", Collection: "segments", plans: []presetPlan{plan}}
}

func monthly(code, name, nameFR, instrument, section, collection, task string) Preset {
	return Preset{Code: code, Name: name + ", monthly",
		NameFR: nameFR + ", mensuel", Instrument: instrument, Section: section, Collection: collection,
		plans: []presetPlan{{name: name + ", monthly", basis: "fixed", rule: monthEnd, lead: 27, window: "month", tasks: []string{task}}}}
}

// read says where a preset's wording, or what is said of it, was read.
func read(verified bool, in string, p Preset) Preset {
	p.Verified, p.ReadIn = verified, in
	return p
}
