package demo

// area is a service that people receive, and how good it is.
type area struct {
	category        string
	french, english string
	promise         [2]string // what people can expect, French and English
	siteTypes       []string  // the sites that provide it
	buildingTypes   []string  // the buildings that provide it
	networks        []string  // the classes of lines that provide it
	regulated       bool      // the measures of O. Reg. 588/17 belong to it
	connected       int       // properties connected; 0 where there is no such thing
	approach        [2]string // how condition is assessed, French and English
	measures        []measure // of the organization's own
}

// measure is one with what it came to: a value that moved evenly over the years, and the target it is held against.
type measure struct {
	french, english string
	kind, unit      string
	direction       string
	metric          string // computed from the other services' figures
	attribute       string
	from, to        float64 // first and last value
	target          float64
}

var townAreas = []area{
	{category: "roads", french: "Routes et rues", english: "Roads",
		promise:  [2]string{"Les rues sont sûres et carrossables en toute saison.", "Streets are safe and passable in every season."},
		networks: []string{"road"}, regulated: true,
		approach: [2]string{"Relevé des chaussées (ASTM D6433) tous les trois ans.", "Pavement survey (ASTM D6433) every three years."}},
	{category: "bridges_culverts", french: "Ponts et ponceaux", english: "Bridges and culverts",
		promise:  [2]string{"Les ponts portent la circulation permise sans détour.", "Bridges carry legal loads without detours."},
		networks: []string{"bridge"}, regulated: true,
		approach: [2]string{"Inspection OSIM tous les deux ans.", "OSIM inspection every two years."}},
	{category: "water", french: "Eau potable", english: "Drinking water",
		promise:   [2]string{"Une eau saine, en tout temps, à pression suffisante.", "Safe water at any time, at good pressure."},
		siteTypes: []string{"treatment_plant"}, networks: []string{"water_main"}, regulated: true, connected: 9840,
		measures: []measure{{"Bris d'aqueduc par 100 km", "Water main breaks per 100 km", "ratio", "/100 km", "lower_is_better",
			"breaks_per_100km", "reliability", 44, 36, 35}}},
	{category: "wastewater", french: "Eaux usées", english: "Wastewater",
		promise: [2]string{"Aucun refoulement dans les habitations.", "No backups into homes."}, networks: []string{"sanitary_sewer"},
		regulated: true, connected: 9620,
		approach: [2]string{"Inspection télévisée (NASSCO PACP) d'un dixième du réseau par année.",
			"CCTV inspection (NASSCO PACP) of a tenth of the network each year."}},
	{category: "stormwater", french: "Eaux pluviales", english: "Stormwater",
		promise:  [2]string{"Les rues s'égouttent après une pluie de cinq ans.", "Streets drain after a five-year storm."},
		networks: []string{"storm_sewer"}, regulated: true},
	{category: "facilities", french: "Immeubles municipaux", english: "Municipal buildings",
		promise: [2]string{"Des immeubles accessibles, sûrs et bien entretenus.", "Accessible, safe and well-kept buildings."},
		measures: []measure{
			{"Indice de vétusté (IVP)", "Facility Condition Index", "percentage", "%", "lower_is_better", "fci_pct", "quality", 8.9, 10.2, 10},
			{"Part des actifs en bon état ou mieux", "Assets in good condition or better", "percentage", "%", "higher_is_better",
				"pct_good_or_better", "quality", 41, 37, 40},
			{"Bons de travail terminés à temps", "Work orders completed on time", "percentage", "%", "higher_is_better", "wo_completed_on_time_pct",
				"responsiveness", 71, 79, 80},
		}},
	{category: "library", french: "Bibliothèques", english: "Libraries",
		promise:       [2]string{"Une bibliothèque à moins de 2 km de chaque foyer.", "A library within 2 km of every home."},
		buildingTypes: []string{"library"}, measures: []measure{
			{"Heures d'ouverture par semaine", "Opening hours a week", "hours", "h", "higher_is_better", "", "accessibility", 46, 52, 50},
			{"Visites par habitant", "Visits per resident", "ratio", "/hab.", "higher_is_better", "", "scope", 3.1, 4.4, 5},
		}},
	{category: "parks_recreation", french: "Loisirs", english: "Parks and recreation",
		promise:       [2]string{"Glace et bassins disponibles toute la saison.", "Ice and pools all season."},
		buildingTypes: []string{"arena", "pool"}, measures: []measure{
			{"Taux d'occupation de la glace", "Ice time used", "percentage", "%", "target_is_best", "", "capacity", 78, 88, 85},
			{"Jours de fermeture non planifiée", "Days of unplanned closure", "count", "j", "lower_is_better", "", "reliability", 12, 7, 6},
		}},
	{category: "fire", french: "Sécurité incendie", english: "Fire services",
		promise:       [2]string{"Dix pompiers sur place en dix minutes.", "Ten firefighters on scene in ten minutes."},
		buildingTypes: []string{"fire_hall"}, measures: []measure{
			{"Interventions en moins de 10 minutes", "Responses within 10 minutes", "percentage", "%", "higher_is_better", "", "responsiveness", 88,
				91, 90},
		}},
}

var boardAreas = []area{
	{category: "education", french: "Milieux d'apprentissage", english: "Learning spaces",
		promise: [2]string{"Chaque élève apprend dans une école sûre, saine et accessible.",
			"Every student learns in a safe, healthy and accessible school."}, buildingTypes: []string{"school"}, measures: []measure{
			{"Indice de vétusté (IVP)", "Facility Condition Index", "percentage", "%", "lower_is_better", "fci_pct", "quality", 6.1, 7.6, 7.5},
			{"État moyen des actifs", "Average condition of assets", "rating", "1–5", "lower_is_better", "avg_condition_rating", "quality", 2.7, 2.8,
				2.6},
			{"Taux d'utilisation des places", "Use of pupil places", "percentage", "%", "target_is_best", "", "capacity", 91, 96, 95},
			{"Classes à moins de 26 °C en septembre", "Classrooms below 26 °C in September", "percentage", "%", "higher_is_better", "", "quality",
				52, 61, 75},
		}},
	{category: "facilities", french: "Entretien", english: "Maintenance",
		promise: [2]string{"Une demande urgente est prise en charge le jour même.", "An urgent request is seen to on the same day."},
		measures: []measure{
			{"Bons de travail terminés à temps", "Work orders completed on time", "percentage", "%", "higher_is_better", "wo_completed_on_time_pct",
				"responsiveness", 66, 78, 80},
			{"Actifs au-delà de leur vie utile", "Assets past their useful life", "percentage", "%", "lower_is_better", "pct_past_useful_life",
				"sustainability", 14, 16.5, 18},
			{"Coût d'entretien par élève", "Maintenance cost per student", "money", "$", "lower_is_better", "", "affordability", 412, 448, 440},
		}},
	{category: "roads", french: "Débarcadères", english: "Bus loops and driveways",
		promise: [2]string{"Les autobus circulent à l'écart des piétons.", "Buses and pedestrians are kept apart."}, networks: []string{"road"},
		measures: []measure{
			{"État moyen des chaussées", "Average pavement condition", "number", "PCI", "higher_is_better", "avg_pci", "quality", 72, 68, 70},
		}},
	{category: "stormwater", french: "Drainage des terrains", english: "Site drainage",
		promise: [2]string{"Les cours s'égouttent avant la récréation.", "Yards drain before recess."}, networks: []string{"storm_sewer"},
		regulated: true},
	{category: "other", french: "Services de garde", english: "Child care",
		promise:       [2]string{"Des locaux conformes dans chaque quartier.", "Licensed rooms in every neighbourhood."},
		buildingTypes: []string{"child_care"}, measures: []measure{
			{"Places par 100 enfants", "Places per 100 children", "ratio", "/100", "higher_is_better", "", "scope", 21, 27, 30},
		}},
}

// regulatedValues are what the regulation's technical measures came to, by their place in it.
var regulatedValues = map[string]measure{
	"Table 1, scope, technical 1": {from: 96.1, to: 97.4, target: 98}, "Table 1, scope, technical 2": {from: 90, to: 92.5, target: 92},
	"Table 1, reliability, technical 1": {from: 0.021, to: 0.012, target: 0.015},
	"Table 1, reliability, technical 2": {from: 0.055, to: 0.047, target: 0.04},
	"Table 2, scope, technical":         {from: 94, to: 95.2, target: 95},
	"Table 2, reliability, technical 1": {from: 0.004, to: 0.003, target: 0.002},
	"Table 2, reliability, technical 2": {from: 0.013, to: 0.011, target: 0.01},
	"Table 2, reliability, technical 3": {from: 0.0002, to: 0.0001, target: 0.0001},
	"Table 3, scope, technical 1":       {from: 81, to: 84, target: 85}, "Table 3, scope, technical 2": {from: 72, to: 76, target: 75},
	"Table 4, scope, technical, arterial":  {from: 1.1, to: 1.1, target: 1.1},
	"Table 4, scope, technical, collector": {from: 1.4, to: 1.5, target: 1.5},
	"Table 4, scope, technical, local":     {from: 6.2, to: 6.4, target: 6.4},
	"Table 4, quality, technical 1":        {from: 71, to: 66.5, target: 70}, "Table 4, quality, technical 2": {from: 3, to: 3, target: 3},
	"Table 5, scope, technical": {from: 17, to: 25, target: 15}, "Table 5, quality, technical 1": {from: 74, to: 72.3, target: 72},
	"Table 5, quality, technical 2": {from: 70, to: 69, target: 70},
}
