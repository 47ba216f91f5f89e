package demo

import "slices"

// riviereClaire is a town of 84,000 people in Montérégie, Québec.
func riviereClaire() blueprint {
	const domain = "riviere-claire.example"
	return blueprint{
		name: "Ville de Rivière-Claire", plan: "enterprise", addOnsAtFirst: []string{}, addOns: []string{}, prefix: "RC", french: true,
		administrator: person{name: "Isabelle Gagnon", email: "isabelle.gagnon@" + domain},
		city:          "Rivière-Claire", province: "QC", postalPrefix: "J4L", areaCode: "450", latitude: 45.5231, longitude: -73.4312,
		locale: "fr-CA", timeZone: "America/Toronto", density: 1.35, lines: streets, areas: townAreas,
		people: slices.Concat(
			staff(domain, "Immeubles", "manager", "Cheffe de division, immeubles", "Mélanie Tremblay", "Josée Bélanger"),
			staff(domain, "Génie", "manager", "Ingénieur municipal", "Stéphane Lavoie", "Karim Benali"),
			staff(domain, "Eau", "manager", "Surintendant, traitement de l'eau", "Denis Pelletier"),
			staff(domain, "Immeubles", "technician", "Technicien en bâtiment", "Luc Fortin", "Geneviève Ouellet", "Martin Bergeron", "Yannick Morin", "Nadia Haddad"),
			staff(domain, "Eau", "technician", "Opératrice, eau potable", "Sophie Girard", "Patrick Caron", "Marie-Ève Leblanc"),
			staff(domain, "Loisirs", "technician", "Technicien en réfrigération", "François Dubé", "Alexandre Nguyen"),
			staff(domain, "Finances", "viewer", "Analyste, immobilisations", "Chantal Poirier", "Olivier Deschênes"),
			staff(domain, "Loisirs", "requester", "Régisseure, installations", "Annie Cloutier", "Simon Lefebvre", "Caroline Roy"),
			staff(domain, "Incendie", "requester", "Capitaine", "Éric Thibault", "Jonathan Simard"),
			staff(domain, "Bibliothèques", "requester", "Bibliothécaire en chef", "Hélène Paquette"),
		),
		sites: slices.Concat(
			[]site{
				{"Hôtel de ville", "office", "Centre-ville", "100, place de l'Hôtel-de-Ville", 9800, []building{{"Hôtel de ville", "administration", 6200, 1968}, {"Cour municipale", "administration", 1900, 1985}}},
				{"Centre administratif Louis-Riel", "office", "Centre-ville", "455, boulevard Taschereau", 7200, []building{{"Centre administratif", "administration", 4800, 1992}}},
				{"Quartier général de police", "office", "Centre-ville", "600, rue Saint-Charles", 11200, []building{{"Poste de police", "police", 5400, 2004}, {"Garage des véhicules de patrouille", "works_garage", 900, 2004}}},
				{"Théâtre de la Rivière", "recreation", "Vieux-Village", "27, rue du Quai", 4100, []building{{"Théâtre de la Rivière", "community_centre", 3600, 1934}}},
				{"Stationnement Saint-Charles", "office", "Centre-ville", "620, rue Saint-Charles", 5200, []building{{"Stationnement étagé", "parking", 9800, 1988}}},
				{"Écocentre Jacques-Cartier", "landfill", "Parc industriel", "1850, rue Graham-Bell", 28000, []building{{"Bâtiment d'accueil", "other", 240, 2011}, {"Entrepôt des résidus dangereux", "warehouse", 380, 2011}}},
			},
			alike("works_yard", 32000, []building{{"Garage municipal", "works_garage", 0, 0}, {"Dôme à sel", "warehouse", 1400, 0}, {"Magasin", "warehouse", 0, 0}, {"Bureaux des contremaîtres", "administration", 620, 0}},
				"Ateliers municipaux Nord|1200, rue Ampère|Parc industriel", "Ateliers municipaux Sud|75, chemin du Tremblay|Des Érables"),
			alike("recreation", 24000, []building{{"Aréna", "arena", 0, 0}, {"Bâtiment de la resurfaceuse", "works_garage", 180, 0}},
				"Aréna Marcel-Robert|350, rue de Normandie|Fatima", "Aréna Émile-Butch|2500, rue Cartier|Saint-Jean", "Aréna des Érables|880, boulevard Roland-Therrien|Des Érables", "Aréna Jacqueline-Gareau|41, rue Beauregard|Vieux-Village"),
			alike("recreation", 15000, []building{{"Piscine intérieure", "pool", 0, 0}},
				"Complexe aquatique du Parc|1450, rue de Lyon|Parcours-du-Cerf", "Piscine Olivier-Létourneau|2000, boulevard Jacques-Cartier|Fatima"),
			alike("recreation", 6500, []building{{"Bibliothèque", "library", 0, 0}},
				"Bibliothèque Rina-Lasnier|25, rue de l'Église|Vieux-Village", "Bibliothèque Gabrielle-Roy|1660, rue Bourassa|Saint-Jean", "Bibliothèque du Vieux-Moulin|70, chemin du Moulin|Des Érables", "Bibliothèque Anne-Hébert|310, rue Lavallée|Parcours-du-Cerf", "Bibliothèque Hubert-Aquin|999, rue Adoncour|Fatima"),
			alike("recreation", 8200, []building{{"Centre communautaire", "community_centre", 0, 0}, {"Chalet de service", "other", 160, 0}},
				"Centre communautaire Le Trait-d'Union|3100, rue Mousseau|Saint-Jean", "Centre Jeanne-Dufresnoy|1, boulevard Curé-Poirier|Fatima", "Centre culturel du Manoir|90, rue du Manoir|Vieux-Village", "Maison des aînés Claire-Fontaine|545, rue Joliette|Parcours-du-Cerf", "Centre communautaire des Érables|1250, rue Toulouse|Des Érables"),
			alike("works_yard", 5400, []building{{"Caserne", "fire_hall", 0, 0}, {"Tour d'entraînement", "other", 210, 0}},
				"Caserne 1 – Centre-ville|777, rue d'Auvergne|Centre-ville", "Caserne 2 – Fatima|1920, rue Brébeuf|Fatima", "Caserne 3 – Saint-Jean|2840, chemin de Chambly|Saint-Jean", "Caserne 4 – Des Érables|415, rue des Ormeaux|Des Érables", "Caserne 5 – Parc industriel|1100, rue Vauquelin|Parc industriel"),
			alike("treatment_plant", 41000, []building{{"Bâtiment de filtration", "treatment", 0, 0}, {"Bâtiment des réactifs", "treatment", 900, 0}, {"Poste de pompage haute pression", "pump_station", 620, 0}, {"Bâtiment administratif et laboratoire", "administration", 740, 0}},
				"Usine de filtration Le Royer|1001, rue Saint-Laurent Est|Vieux-Village", "Usine de filtration Pointe-aux-Saules|12, chemin de la Pointe|Des Érables"),
			alike("treatment_plant", 63000, []building{{"Bâtiment de prétraitement", "treatment", 0, 0}, {"Bâtiment de désinfection UV", "treatment", 840, 0}, {"Bâtiment des soufflantes", "treatment", 560, 0}, {"Déshydratation des boues", "treatment", 1300, 0}},
				"Station d'épuration de l'Île-aux-Foins|1, chemin de l'Île|Parc industriel"),
			alike("works_yard", 900, []building{{"Poste de pompage", "pump_station", 0, 0}, {"Abri de la génératrice", "other", 45, 0}},
				"Poste de pompage Bord-de-l'Eau|210, rue Bord-de-l'Eau|Vieux-Village", "Poste de pompage Rang Saint-Michel|1400, rang Saint-Michel|Des Érables", "Poste de pompage Adoncour|1215, rue Adoncour|Fatima",
				"Poste de pompage Chambly|3555, chemin de Chambly|Saint-Jean", "Poste de pompage Vauquelin|940, rue Vauquelin|Parc industriel", "Poste de pompage du Tremblay|330, chemin du Tremblay|Parcours-du-Cerf",
				"Poste de pompage Marie-Victorin|88, boulevard Marie-Victorin|Vieux-Village", "Poste de pompage Roland-Therrien|2110, boulevard Roland-Therrien|Des Érables", "Poste de pompage Lavallée|6, rue Lavallée|Parcours-du-Cerf", "Poste de pompage Brébeuf|2300, rue Brébeuf|Fatima"),
			alike("park", 52000, []building{{"Chalet de parc", "other", 320, 0}, {"Pavillon des baigneurs", "other", 280, 0}},
				"Parc Michel-Chartrand|1895, rue Adoncour|Parcours-du-Cerf", "Parc de la Commune|15, rue Bord-de-l'Eau|Vieux-Village", "Parc Saint-Mark|3000, rue Dumont|Saint-Jean", "Parc Fatima|2030, rue de Bretagne|Fatima",
				"Parc des Sorbiers|720, rue des Sorbiers|Des Érables", "Parc Lionel-Groulx|1405, rue Gardenville|Fatima", "Parc Paul-Provost|500, rue Lamarre|Saint-Jean", "Parc du Petit-Bois|66, rue des Pins|Parcours-du-Cerf"),
		),
	}
}
