package los

// The measures that O. Reg. 588/17 (Asset Management Planning for Municipal Infrastructure, under Ontario's Infrastructure
// for Jobs and Prosperity Act, 2015) requires in its Tables 1 to 5: for each core service area the community levels of
// service (column 2, in words) and the technical ones (column 3, in numbers), by service attribute (column 1). The wording
// is ours, after the regulation; the regulation itself is what binds.

// Template is the measures of one of the regulation's tables.
type Template struct {
	Template      string            `json:"template" enum:"water,wastewater,stormwater,roads,bridges_culverts" doc:"The service area's category that the template is for."`
	Name          string            `json:"name"`
	NameFR        string            `json:"name_fr"`
	RegulationRef string            `json:"regulation_ref" doc:"The table of the regulation."`
	Measures      []TemplateMeasure `json:"measures"`
}

// TemplateMeasure is one measure of a table, in both languages.
type TemplateMeasure struct {
	RegulationRef  string  `json:"regulation_ref" doc:"Where in the regulation it stands; a measure with this reference is the template's."`
	MeasureType    string  `json:"measure_type" enum:"community,technical"`
	Attribute      string  `json:"attribute" enum:"scope,quality,reliability"`
	ValueKind      string  `json:"value_kind" enum:"percentage,ratio,number,rating,narrative"`
	Direction      string  `json:"direction" enum:"higher_is_better,lower_is_better"`
	ComputedMetric *string `json:"computed_metric"`
	Name           string  `json:"name"`
	NameFR         string  `json:"name_fr"`
	Description    string  `json:"description"`
	DescriptionFR  string  `json:"description_fr"`
	Unit           *string `json:"unit"`
	UnitFR         *string `json:"unit_fr"`
}

const regulation = "O. Reg. 588/17, "

// templates are in the order of the regulation's tables.
var templates = []Template{
	table("water", "Table 1", "Water", "Alimentation en eau",
		community("scope", "community 1", words{"Areas connected to the municipal water system",
			"Description, which may include maps, of the user groups or areas of the municipality that are connected to the municipal water " +
				"system."},
			words{"Secteurs raccordés au réseau municipal d'eau",
				"Description, avec cartes au besoin, des groupes d'usagers ou des secteurs de la municipalité qui sont raccordés au réseau " +
					"municipal d'alimentation en eau."}),
		community("scope", "community 2", words{"Areas that have fire flow",
			"Description, which may include maps, of the user groups or areas of the municipality that have fire flow."},
			words{"Secteurs disposant d'un débit d'incendie",
				"Description, avec cartes au besoin, des groupes d'usagers ou des secteurs de la municipalité qui disposent d'un débit d'incendie."}),
		share("scope", "technical 1", words{"Properties connected to the municipal water system",
			"Percentage of properties connected to the municipal water system."},
			words{"Propriétés raccordées au réseau municipal d'eau",
				"Pourcentage des propriétés raccordées au réseau municipal d'alimentation en eau."}),
		share("scope", "technical 2", words{"Properties where fire flow is available", "Percentage of properties where fire flow is available."},
			words{"Propriétés disposant d'un débit d'incendie", "Pourcentage des propriétés où un débit d'incendie est disponible."}),
		community("reliability", "community", words{"Boil water advisories and service interruptions",
			"Description of boil water advisories and service interruptions."},
			words{"Avis d'ébullition et interruptions de service", "Description des avis d'ébullition de l'eau et des interruptions de service."}),
		events("reliability", "technical 1", "connection-days/property", "jours-raccordements/propriété",
			words{"Connection-days under a boil water advisory",
				"Number of connection-days per year where a boil water advisory notice is in place, compared to the total number of properties " +
					"connected to the municipal water system."},
			words{"Jours-raccordements sous avis d'ébullition",
				"Nombre de jours-raccordements par an visés par un avis d'ébullition de l'eau, par rapport au nombre total de propriétés " +
					"raccordées au réseau municipal d'alimentation en eau."}),
		withMetric("connection_days_breaks", events("reliability", "technical 2", "connection-days/property", "jours-raccordements/propriété",
			words{"Connection-days lost to water main breaks",
				"Number of connection-days per year lost due to water main breaks, compared to the total number of properties connected to the " +
					"municipal water system."},
			words{"Jours-raccordements perdus par bris de conduites",
				"Nombre de jours-raccordements par an perdus à cause de bris de conduites maîtresses, par rapport au nombre total de propriétés " +
					"raccordées au réseau municipal d'alimentation en eau."})),
	),
	table("wastewater", "Table 2", "Wastewater", "Eaux usées",
		community("scope", "community", words{"Areas connected to the municipal wastewater system",
			"Description, which may include maps, of the user groups or areas of the municipality that are connected to the municipal " +
				"wastewater system."},
			words{"Secteurs raccordés au réseau municipal d'eaux usées",
				"Description, avec cartes au besoin, des groupes d'usagers ou des secteurs de la municipalité qui sont raccordés au réseau " +
					"municipal d'eaux usées."}),
		share("scope", "technical", words{"Properties connected to the municipal wastewater system",
			"Percentage of properties connected to the municipal wastewater system."},
			words{"Propriétés raccordées au réseau municipal d'eaux usées",
				"Pourcentage des propriétés raccordées au réseau municipal d'eaux usées."}),
		community("reliability", "community 1", words{"Overflow structures of combined sewers",
			"Description of how combined sewers in the municipal wastewater system are designed with overflow structures in place which allow " +
				"overflow during storm events to prevent backups into homes."},
			words{"Ouvrages de trop-plein des égouts unitaires",
				"Description de la façon dont les égouts unitaires du réseau municipal d'eaux usées sont munis de trop-pleins qui permettent un " +
					"débordement pendant les tempêtes afin de prévenir les refoulements dans les maisons."}),
		community("reliability", "community 2", words{"Overflows in habitable areas and beaches",
			"Description of the frequency and volume of overflows in combined sewers in the municipal wastewater system that occur in " +
				"habitable areas or beaches."},
			words{"Débordements dans les zones habitables et sur les plages",
				"Description de la fréquence et du volume des débordements des égouts unitaires du réseau municipal d'eaux usées qui se " +
					"produisent dans des zones habitables ou sur des plages."}),
		community("reliability", "community 3", words{"How stormwater gets into sanitary sewers",
			"Description of how stormwater can get into sanitary sewers in the municipal wastewater system, causing sewage to overflow into " +
				"streets or backup into homes."},
			words{"Entrée d'eaux pluviales dans les égouts sanitaires",
				"Description de la façon dont les eaux pluviales peuvent entrer dans les égouts sanitaires du réseau municipal d'eaux usées et " +
					"causer des débordements dans les rues ou des refoulements dans les maisons."}),
		community("reliability", "community 4", words{"How sanitary sewers resist overflows and backups",
			"Description of how sanitary sewers in the municipal wastewater system are designed to be resilient, to avoid overflows into " +
				"streets and backups into homes."},
			words{"Résilience des égouts sanitaires", "Description de la façon dont les égouts sanitaires du réseau municipal d'eaux usées " +
				"sont conçus pour être résilients et éviter les débordements dans les rues et les refoulements dans les maisons."}),
		community("reliability", "community 5", words{"Effluent of sewage treatment plants",
			"Description of the effluent that is discharged from sewage treatment plants in the municipal wastewater system."},
			words{"Effluent des stations d'épuration",
				"Description de l'effluent rejeté par les stations d'épuration du réseau municipal d'eaux usées."}),
		events("reliability", "technical 1", "events/property", "événements/propriété",
			words{"Combined sewer flow above capacity",
				"Number of events per year where combined sewer flow in the municipal wastewater system exceeds system capacity, compared to the " +
					"total number of properties connected to the municipal wastewater system."},
			words{"Débits d'égouts unitaires supérieurs à la capacité",
				"Nombre d'événements par an où le débit des égouts unitaires dépasse la capacité du réseau municipal d'eaux usées, par rapport " +
					"au nombre total de propriétés qui y sont raccordées."}),
		withMetric("connection_days_backups", events("reliability", "technical 2", "connection-days/property", "jours-raccordements/propriété",
			words{"Connection-days of wastewater backups",
				"Number of connection-days per year due to wastewater backups, compared to the total number of properties connected to the " +
					"municipal wastewater system."},
			words{"Jours-raccordements de refoulements d'eaux usées",
				"Nombre de jours-raccordements par an touchés par des refoulements d'eaux usées, par rapport au nombre total de propriétés " +
					"raccordées au réseau municipal d'eaux usées."})),
		events("reliability", "technical 3", "violations/property", "infractions/propriété",
			words{"Effluent violations", "Number of effluent violations per year due to wastewater discharge, compared to the total number of " +
				"properties connected to the municipal wastewater system."},
			words{"Infractions liées à l'effluent", "Nombre d'infractions par an liées aux rejets d'eaux usées, par rapport au nombre total " +
				"de propriétés raccordées au réseau municipal d'eaux usées."}),
	),
	table("stormwater", "Table 3", "Stormwater", "Eaux pluviales",
		community("scope", "community", words{"Areas protected from flooding",
			"Description, which may include maps, of the user groups or areas of the municipality that are protected from flooding, including " +
				"the extent of the protection provided by the municipal stormwater management system."},
			words{"Secteurs protégés contre les inondations",
				"Description, avec cartes au besoin, des groupes d'usagers ou des secteurs de la municipalité qui sont protégés contre les " +
					"inondations, y compris l'étendue de la protection qu'offre le réseau municipal de gestion des eaux pluviales."}),
		share("scope", "technical 1", words{"Properties resilient to a 100-year storm",
			"Percentage of properties in the municipality resilient to a 100-year storm."},
			words{"Propriétés résilientes à une tempête centennale",
				"Pourcentage des propriétés de la municipalité qui sont résilientes à une tempête dont la période de retour est de 100 ans."}),
		share("scope", "technical 2", words{"Stormwater system resilient to a 5-year storm",
			"Percentage of the municipal stormwater management system resilient to a 5-year storm."},
			words{"Réseau pluvial résilient à une tempête quinquennale",
				"Pourcentage du réseau municipal de gestion des eaux pluviales qui est résilient à une tempête dont la période de retour est de " +
					"5 ans."}),
	),
	table("roads", "Table 4", "Roads", "Routes",
		community("scope", "community", words{"Road network and its connectivity",
			"Description, which may include maps, of the road network in the municipality and its level of connectivity."},
			words{"Réseau routier et sa connectivité",
				"Description, avec cartes au besoin, du réseau routier de la municipalité et de son degré de connectivité."}),
		lanes("arterial", words{"Arterial roads: lane-kilometres per square kilometre",
			"Number of lane-kilometres of arterial roads as a proportion of square kilometres of land area of the municipality."},
			words{"Artères : kilomètres de voie par kilomètre carré",
				"Nombre de kilomètres de voie d'artères par rapport à la superficie terrestre de la municipalité en kilomètres carrés."}),
		lanes("collector", words{"Collector roads: lane-kilometres per square kilometre",
			"Number of lane-kilometres of collector roads as a proportion of square kilometres of land area of the municipality."},
			words{"Routes collectrices : kilomètres de voie par kilomètre carré",
				"Nombre de kilomètres de voie de routes collectrices par rapport à la superficie terrestre de la municipalité en kilomètres carrés."}),
		lanes("local", words{"Local roads: lane-kilometres per square kilometre",
			"Number of lane-kilometres of local roads as a proportion of square kilometres of land area of the municipality."},
			words{"Routes locales : kilomètres de voie par kilomètre carré",
				"Nombre de kilomètres de voie de routes locales par rapport à la superficie terrestre de la municipalité en kilomètres carrés."}),
		community("quality", "community", words{"Levels of road class pavement condition",
			"Description or images that illustrate the different levels of road class pavement condition."},
			words{"Niveaux d'état des chaussées", "Description ou images qui montrent les divers niveaux d'état de la chaussée selon la " +
				"catégorie de route."}),
		index("technical 1", "avg_pci", "PCI",
			words{"Average pavement condition index, paved roads",
				"For paved roads in the municipality, the average pavement condition index value."},
			words{"Indice moyen d'état de la chaussée, routes pavées",
				"Pour les routes pavées de la municipalité, la valeur moyenne de l'indice d'état de la chaussée."}),
		surface("technical 2", words{"Average surface condition, unpaved roads",
			"For unpaved roads in the municipality, the average surface condition (excellent, good, fair or poor)."},
			words{"État moyen de la surface, routes non pavées",
				"Pour les routes non pavées de la municipalité, l'état moyen de la surface (excellent, bon, passable ou mauvais)."}),
	),
	table("bridges_culverts", "Table 5", "Bridges and culverts", "Ponts et ponceaux",
		community("scope", "community", words{"Traffic supported by municipal bridges",
			"Description of the traffic that is supported by municipal bridges: heavy transport vehicles, motor vehicles, emergency vehicles, " +
				"pedestrians, cyclists."},
			words{"Circulation sur les ponts municipaux",
				"Description de la circulation que supportent les ponts municipaux : véhicules lourds, véhicules automobiles, véhicules " +
					"d'urgence, piétons, vélos."}),
		withMetric("pct_bridges_restricted", restricted("technical", words{"Bridges with loading or dimensional restrictions",
			"Percentage of bridges in the municipality with loading or dimensional restrictions."},
			words{"Ponts visés par une restriction de charge ou de dimensions",
				"Pourcentage des ponts de la municipalité visés par une restriction de charge ou de dimensions."})),
		community("quality", "community 1", words{"Condition of bridges and its effect on their use",
			"Description or images of the condition of bridges and how this would affect use of the bridges."},
			words{"État des ponts et effet sur leur utilisation",
				"Description ou images de l'état des ponts et de l'effet de cet état sur leur utilisation."}),
		community("quality", "community 2", words{"Condition of culverts and its effect on their use",
			"Description or images of the condition of culverts and how this would affect use of the culverts."},
			words{"État des ponceaux et effet sur leur utilisation",
				"Description ou images de l'état des ponceaux et de l'effet de cet état sur leur utilisation."}),
		index("technical 1", "avg_bci_bridges", "BCI", words{"Average bridge condition index, bridges",
			"For bridges in the municipality, the average bridge condition index value."},
			words{"Indice moyen d'état des ponts", "Pour les ponts de la municipalité, la valeur moyenne de l'indice d'état des ponts."}),
		index("technical 2", "avg_bci_culverts", "BCI", words{"Average bridge condition index, structural culverts",
			"For structural culverts in the municipality, the average bridge condition index value."},
			words{"Indice moyen d'état des ponceaux structuraux",
				"Pour les ponceaux structuraux de la municipalité, la valeur moyenne de l'indice d'état des ponts."}),
	),
}

// words are a measure's name and description in one language.
type words struct{ name, description string }

// table completes the references of a table's measures.
func table(category, reference, name, nameFR string, measures ...TemplateMeasure) Template {
	for i := range measures {
		measures[i].RegulationRef = regulation + reference + ", " + measures[i].Attribute + ", " + measures[i].RegulationRef
	}
	return Template{Template: category, Name: name, NameFR: nameFR, RegulationRef: regulation + reference, Measures: measures}
}

func technical(attribute, place, kind, direction, unit, unitFR string, en, fr words) TemplateMeasure {
	return TemplateMeasure{
		RegulationRef: place, MeasureType: "technical", Attribute: attribute, ValueKind: kind, Direction: direction,
		Name: en.name, NameFR: fr.name, Description: en.description, DescriptionFR: fr.description, Unit: &unit, UnitFR: &unitFR,
	}
}

func community(attribute, place string, en, fr words) TemplateMeasure {
	m := technical(attribute, place, "narrative", "higher_is_better", "", "", en, fr)
	m.MeasureType, m.Unit, m.UnitFR = "community", nil, nil
	return m
}

func share(attribute, place string, en, fr words) TemplateMeasure {
	return technical(attribute, place, "percentage", "higher_is_better", "%", "%", en, fr)
}

func restricted(place string, en, fr words) TemplateMeasure {
	return technical("scope", place, "percentage", "lower_is_better", "%", "%", en, fr)
}

func events(attribute, place, unit, unitFR string, en, fr words) TemplateMeasure {
	return technical(attribute, place, "ratio", "lower_is_better", unit, unitFR, en, fr)
}

// withMetric is a measure with the computed_metric for it.
func withMetric(metric string, m TemplateMeasure) TemplateMeasure {
	m.ComputedMetric = &metric
	return m
}

// lanes is the lane-kilometres of the roads of a class.
func lanes(class string, en, fr words) TemplateMeasure {
	return withMetric("lane_km_"+class+"_per_km2", technical("scope", "technical, "+class, "ratio", "higher_is_better", "lane-km/km²",
		"km de voie/km²", en, fr))
}

// surface is the mean rating of unpaved roads, of which 1 is the best.
func surface(place string, en, fr words) TemplateMeasure {
	m := withMetric("avg_unpaved_condition", technical("quality", place, "rating", "lower_is_better", "", "", en, fr))
	m.Unit, m.UnitFR = nil, nil
	return m
}

// index is a mean condition index, of which 100 is the best. Its unit is the same in both languages.
func index(place, metric, unit string, en, fr words) TemplateMeasure {
	return withMetric(metric, technical("quality", place, "number", "higher_is_better", unit, unit, en, fr))
}
