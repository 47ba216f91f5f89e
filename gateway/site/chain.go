package site

// stage is a step of what the product is for, with its picture: the path of a drawing of 24 by 24.
type stage struct{ Title, Text, Drawing string }

// drawings are a building, a gauge, a wrench and a chart.
var drawings = [...]string{
	"M4 21V6l8-4v19M12 9l8 3v9M2 21h20M7 9h2M7 13h2M7 17h2M15 14h2M15 18h2",
	"M4 19a9 9 0 1 1 16 0M12 15l4-5M6 15h1M17 15h1M12 9V8",
	"M14.5 6.5a4.5 4.5 0 0 1 5.6-4.1l-2.8 2.8 1.5 1.5 2.8-2.8a4.5 4.5 0 0 1-6 5.7L7 18.2a2.1 2.1 0 0 1-3-3z",
	"M4 3v17h17M8 17v-4M12 17V8M16 17v-6M20 17V5",
}

// chains are its words, by the code of the language.
var chains = map[string][len(drawings)][2]string{
	"en": {
		{"What is there", "Sites, buildings, systems and assets; pipes, roads and bridges"},
		{"How it is", "Condition, age, cost, risk and deficiencies"},
		{"What is done", "Requests, work orders, maintenance and projects"},
		{"What follows", "FCI and needs, levels of service, a funded plan, the accounts"},
	},
	"fr": {
		{"Ce qu’on possède", "Sites, bâtiments, systèmes et actifs ; conduites, rues et ponts"},
		{"Dans quel état", "État, âge, coût, risque et défauts"},
		{"Ce qu’on y fait", "Demandes, bons de travail, entretien et projets"},                                //nolint:misspell // French
		{"Ce qui en découle", "Indice de vétusté et besoins, niveaux de service, plan financé, comptabilité"}, //nolint:misspell // French
	},
}

// Chain is the picture at /: what the product keeps, and what becomes of it.
func (l *language) Chain() []stage {
	var all []stage
	for i, drawing := range drawings {
		step := chains[l.Code][i]
		all = append(all, stage{step[0], step[1], drawing})
	}
	return all
}
