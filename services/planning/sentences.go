package planning

import (
	"fmt"
	"strconv"
	"strings"

	"ams.internal/services/planning/engine"
)

// reasons are the words for why something was done to an element in a year, or not, by the engine's number.
var reasons = []string{"no_trigger", "funded", "funded_lesser", "no_funds", "cap", "not_worth", "target_met", "dropped", "override"}

// sentence is a reason in one sentence, in English or French. step is the place of the step that decided, of so many; ratio is its ratio.
func (m *assembled) sentence(language string, i int, o *engine.Outcome, steps int, ratio float64) string {
	words := sentences[language]
	name := m.treatmentName(i, o.Treatment, language)
	of := fmt.Sprintf(words.step, o.Rank, steps, decimal(language, ratio))
	blocked := ""
	if o.Blocker >= 0 {
		blocker := ""
		if reason := reasons[o.Reason]; reason == "cap" && o.Blocker < len(m.of.Caps) {
			blocker = m.of.Caps[o.Blocker].Name
		} else if o.Blocker < len(m.of.Funds) {
			blocker = m.of.Funds[o.Blocker].Code
		}
		blocked = fmt.Sprintf(words.had, blocker, money(language, o.Left), money(language, o.Short))
	}
	switch reason := reasons[o.Reason]; reason {
	case "funded":
		if o.Rank == 0 {
			return fmt.Sprintf(words.chosen, name, money(language, o.Cost))
		}
		return fmt.Sprintf(words.funded, name, money(language, o.Cost), of)
	case "funded_lesser":
		if blocked == "" {
			return fmt.Sprintf(words.chosen, name, money(language, o.Cost))
		}
		return fmt.Sprintf(words.lesser, name, money(language, o.Cost), of, blocked)
	case "no_funds":
		if blocked == "" {
			return words.noFund
		}
		return fmt.Sprintf(words.notFunded, of, blocked)
	case "cap":
		return fmt.Sprintf(words.capped, of, blocked)
	case "override":
		return fmt.Sprintf(words.decided, name, money(language, o.Cost))
	default:
		return words.plain[reason]
	}
}

// wording is the sentences in a language.
type wording struct {
	step, had, chosen, funded, lesser, noFund, notFunded, capped, decided, catchUp, nothing string
	plain                                                                                   map[string]string
}

var sentences = map[string]wording{
	"en": {step: "step %d of %d, ratio %s", had: "%s had %s left, %s short", chosen: "%s for %s.", funded: "%s for %s: %s.",
		lesser: "%s for %s; the better treatment was not funded: %s; %s.", noFund: "Not funded: no fund of the scenario is for it.",
		notFunded: "Not funded: %s; %s.", capped: "Not funded because of a cap: %s; %s.", decided: "%s for %s, because it was decided so.",
		catchUp: "Catching up on deferred maintenance", nothing: "Nothing",
		plain: map[string]string{"no_trigger": "Nothing was possible: no treatment was triggered.",
			"not_worth":  "Not done: its benefit for its cost is below the least ratio.",
			"target_met": "Not done: the target is met without it.", "dropped": "Not done: the target can spare it."}},
	"fr": {step: "étape %d sur %d, ratio %s", had: "il restait %[2]s à %[1]s, il manquait %[3]s",
		chosen: "%s pour %s.", funded: "%s pour %s : %s.", lesser: "%s pour %s; l’intervention plus poussée n’est pas financée : %s; %s.",
		noFund: "Non financé : aucun fonds du scénario n’y est destiné.", notFunded: "Non financé : %s; %s.",
		capped: "Non financé à cause d’un plafond : %s; %s.", decided: "%s pour %s, parce qu’il en a été décidé ainsi.",
		catchUp: "Rattrapage de l’entretien différé", nothing: "Rien", plain: map[string]string{"no_trigger": "Rien n’était possible : " +
			"aucune intervention n’était déclenchée.", "not_worth": "Non réalisé : le bénéfice par rapport au coût est sous le ratio minimal.",
			"target_met": "Non réalisé : la cible est atteinte sans cela.", "dropped": "Non réalisé : la cible peut s’en passer."}},
}

// treatmentName is what people call what was done.
func (m *assembled) treatmentName(i, treatment int, language string) string {
	switch treatment {
	case engine.CatchUp:
		return sentences[language].catchUp
	case engine.NoTreatment:
		return sentences[language].nothing
	}
	return m.treatments[m.input.Elements[i].Class][treatment].Name
}

func money(language string, amount engine.Cents) string {
	return decimal(language, dollars(amount))
}

// decimal is a number with two decimals: 1,234.50, in French 1 234,50 with non-breaking spaces.
func decimal(language string, value float64) string {
	text := strconv.FormatFloat(value, 'f', 2, 64)
	whole, cents, _ := strings.Cut(text, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	group, point := ",", "."
	if language == "fr" {
		group, point = "\u00a0", ","
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + group + whole[i:]
	}
	return sign + whole + point + cents
}
