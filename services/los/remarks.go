package los

import (
	"fmt"
	"strings"
)

// remarks say on the note of a computed measurement what went into it, in English and French.
type remarks [][2]string

// add adds a sentence in both languages, of the same arguments.
func (r *remarks) add(english, french string, args ...any) {
	*r = append(*r, [2]string{fmt.Sprintf(english, args...), fmt.Sprintf(french, args...)})
}

// count adds a sentence about a number of records, unless there are none.
func (r *remarks) count(english, french string, count float64) {
	if count > 0 {
		r.add(english, french, int(count))
	}
}

// String is the English sentences, a stroke, and the French ones; empty without any.
func (r remarks) String() string {
	if len(r) == 0 {
		return ""
	}
	var english, french []string
	for _, remark := range r {
		english, french = append(english, remark[0]), append(french, remark[1])
	}
	return strings.Join(english, " ") + " / " + strings.Join(french, " ")
}

// surfaces are the words of Table 4 of O. Reg. 588/17 for the surface of unpaved roads, each to the mean rating that it reaches. The
// words are the regulation's, the bounds ours.
var surfaces = []struct {
	max             float64
	english, french string
}{{1.5, "Excellent.", "Excellent."}, {2.5, "Good.", "Bon."}, {3.5, "Fair.", "Passable."}, {5, "Poor.", "Mauvais."}}

// remarksOn are the remarks on a metric of networks, from the response that it was in.
func remarksOn(metric string, value float64, response map[string]any) (r remarks) {
	number := func(name string) float64 { n, _ := response[name].(float64); return n }
	if metric == "avg_unpaved_condition" {
		for _, surface := range surfaces {
			if value <= surface.max {
				r = append(r, [2]string{surface.english, surface.french})
				break
			}
		}
	}
	switch metric {
	case "avg_pci", "avg_unpaved_condition":
		r.count("Roads left out because paved is not known: %d.", "Routes exclues, faute de savoir si elles sont pavées : %d.",
			number("roads_of_unknown_surface"))
	case "avg_bci_bridges":
		r.count("Bridges left out because they have no index: %d.", "Ponts exclus, sans indice : %d.", number("bridges_without_bci"))
	case "avg_bci_culverts":
		r.count("Culverts with a span of 3 m or more left out because they have no index: %d.",
			"Ponceaux d'une portée de 3 m ou plus exclus, sans indice : %d.", number("culverts_without_bci"))
	}
	return r
}
