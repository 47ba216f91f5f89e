package search

import (
	"slices"
	"strings"
)

// meanings are the words of the trade that mean the same in English and in French, a line for each thing. They are folded, and singular: a
// word is known by its plural in s too, and other plurals stand here. A word that stands in two lines means both. What means too much, such
// as "main" and "regard", is left out.
var meanings = []string{
	"roof roofing toit toiture",
	"window fenetre fenestration vitrage",
	"door porte",
	"wall mur",
	"floor plancher",
	"ceiling plafond",
	"stairs stair stairway escalier",
	"elevator lift ascenseur",
	"foundation fondation",
	"boiler chaudiere",
	"furnace fournaise",
	"heating heater chauffage",
	"ventilation ventilator fan ventilateur",
	"chiller refroidisseur",
	"cooling climatisation climatiseur",
	"pump pompe",
	"valve vanne soupape",
	"pipe conduite tuyau tuyaux canalisation",
	"duct conduit gaine",
	"tank reservoir citerne",
	"meter compteur",
	"plumbing plomberie",
	"toilet toilette",
	"washroom restroom toilette",
	"leak fuite",
	"sewer egout",
	"culvert ponceau",
	"bridge pont",
	"road street route rue chemin",
	"pavement chaussee",
	"sidewalk trottoir",
	"light lighting lamp lumiere eclairage luminaire lampadaire",
	"generator generatrice",
	"transformer transformateur",
	"electrical electricity electrique electricite",
	"panel panneau panneaux",
	"alarm alarme",
	"fire incendie feu",
	"sprinkler gicleur",
	"detector detecteur",
	"fence cloture",
	"playground jeu jeux",
	"swing balancoire",
	"parking stationnement",
	"pool piscine",
	"rink patinoire",
	"gym gymnasium gymnase",
	"school ecole",
	"library bibliotheque",
	"kitchen cuisine",
	"classroom classe",
	"park parc",
	"station caserne poste",
	"plant usine",
	"community communautaire",
	"repair reparation reparer",
	"replacement remplacement replace remplacer",
	"cleaning nettoyage",
	"paint painting peinture",
	"broken brise casse",
	"crack fissure",
	"noise bruit",
	"smell odour odor odeur",
	"snow neige",
	"tree arbre",
}

// synonymsOf has the words that mean the same as a word, by it.
var synonymsOf = func() map[string][]string {
	of := map[string][]string{}
	for _, line := range meanings {
		words := strings.Fields(line)
		for _, word := range words {
			for _, other := range words {
				if other != word && !slices.Contains(of[word], other) {
					of[word] = append(of[word], other)
				}
			}
		}
	}
	return of
}()

// Synonyms gives the words that mean the same as a folded word, in English and in French, each in singular and plural; none of a word that
// is not of the trade.
func Synonyms(word string) []string {
	others, known := synonymsOf[word]
	if !known {
		others = synonymsOf[strings.TrimSuffix(word, "s")]
	}
	var all []string
	for _, other := range others {
		if all = append(all, other); !strings.HasSuffix(other, "s") && !strings.HasSuffix(other, "x") {
			all = append(all, other+"s")
		}
	}
	return all
}
