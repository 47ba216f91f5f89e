package demo

// job is a kind of work that is done again and again: what it is called, what was wrong, what helped, what it takes.
type job struct {
	code            string // beginning of the uniformat_code of the assets that it is done on; of segments, their asset class
	kind            string // type of the work order
	french, english string
	problem         string
	cause           string
	remedy          string
	hours           float64 // of labour, about
	material        [2]string
	price           float64 // of the material, about
	steps           [][2]string
}

var (
	inspectionSteps = [][2]string{{"Cadenasser l'équipement", "Lock out the equipment"},
		{"Vérifier bruits et vibrations", "Check for noise and vibration"}, {"Nettoyer et lubrifier", "Clean and lubricate"},
		{"Relever le compteur", "Read the meter"}, {"Remettre en service", "Return to service"}}
	fireSteps = [][2]string{{"Aviser la centrale", "Notify the monitoring station"}, {"Essai des avertisseurs", "Test the bells"},
		{"Essai des détecteurs", "Test the detectors"}, {"Inscrire au registre", "Enter in the log book"}}
	waterSteps = [][2]string{{"Fermer les vannes du secteur", "Close the valves of the section"}, {"Aviser les usagers", "Notify the users"},
		{"Excaver et réparer", "Excavate and repair"}, {"Rincer et désinfecter", "Flush and disinfect"},
		{"Prélever un échantillon", "Take a sample"}}
)

var jobs = []job{
	{"D302", "corrective", "Fuite à un raccord", "Leak at a fitting", "leak", "wear", "replaced", 3.5,
		[2]string{"Joints et raccords", "Seals and fittings"}, 240, nil},
	{"D302", "preventive", "Entretien annuel du chauffage", "Annual heating service", "", "", "", 4,
		[2]string{"Trousse d'entretien", "Service kit"}, 180, inspectionSteps},
	{"D302", "emergency", "Pas de chauffage", "No heat", "no_heat", "electrical", "repaired", 2.5,
		[2]string{"Carte de commande", "Control board"}, 620, nil},
	{"D304", "preventive", "Entretien saisonnier", "Seasonal service", "", "", "", 2, [2]string{"Filtres et courroies", "Filters and belts"},
		210, inspectionSteps},
	{"D304", "corrective", "Vibration anormale du ventilateur", "Unusual fan vibration", "vibration", "misalignment", "adjusted", 3,
		[2]string{"Roulements", "Bearings"}, 175, nil},
	{"D303", "preventive", "Mise en marche saisonnière", "Seasonal start-up", "", "", "", 5, [2]string{"Frigorigène", "Refrigerant"}, 320,
		inspectionSteps},
	{"D305", "corrective", "Thermostat défectueux", "Faulty thermostat", "temperature", "failure", "replaced", 1.5,
		[2]string{"Thermostat", "Thermostat"}, 145, nil},
	{"D306", "corrective", "Perte de communication de l'automate", "Controller lost communication", "no_signal", "electrical", "repaired", 2,
		[2]string{"Module réseau", "Network module"}, 410, nil},
	{"D20", "corrective", "Fuite d'eau", "Water leak", "leak", "wear", "repaired", 2, [2]string{"Raccords et joints", "Fittings and gaskets"},
		65, nil},
	{"D20", "preventive", "Vérification annuelle", "Annual check", "", "", "", 1.5, [2]string{"Trousse de joints", "Rubber kit"}, 95,
		inspectionSteps},
	{"D20", "corrective", "Débit insuffisant", "Poor flow", "blockage", "foreign_object", "cleaned", 1, [2]string{"", ""}, 0, nil},
	{"D40", "inspection", "Inspection annuelle CAN/ULC-S536", "Annual CAN/ULC-S536 inspection", "", "", "", 6,
		[2]string{"Piles de secours", "Back-up batteries"}, 160, fireSteps},
	{"D40", "corrective", "Défaut relevé à l'inspection", "Deficiency found at inspection", "deficiency", "wear", "replaced", 2,
		[2]string{"Pièces homologuées", "Listed parts"}, 120, nil},
	{"D501", "inspection", "Thermographie", "Thermographic scan", "", "", "", 2, [2]string{"", ""}, 0, inspectionSteps},
	{"D509", "preventive", "Essai mensuel sous charge (CSA C282)", "Monthly load test (CSA C282)", "", "", "", 1.5,
		[2]string{"Huile et filtre", "Oil and filter"}, 190, inspectionSteps},
	{"D502", "corrective", "Luminaires éteints", "Lights out", "no_power", "wear", "replaced", 1, [2]string{"Modules DEL", "LED modules"}, 130,
		nil},
	{"D503", "corrective", "Appareil hors ligne", "Device off line", "no_signal", "failure", "replaced", 1.5,
		[2]string{"Commutateur PoE", "PoE switch"}, 230, nil},
	{"D10", "preventive", "Entretien mensuel (CSA B44)", "Monthly maintenance (CSA B44)", "", "", "", 2, [2]string{"", ""}, 0,
		inspectionSteps},
	{"D10", "emergency", "Arrêt avec une personne à bord", "Stopped with a passenger aboard", "stuck", "electrical", "reset", 1.5,
		[2]string{"", ""}, 0, nil},
	{"B30", "corrective", "Infiltration d'eau par la toiture", "Roof leak", "leak", "weather", "repaired", 5,
		[2]string{"Membrane élastomère", "Modified bitumen membrane"}, 380, nil},
	{"B20", "corrective", "Refaire l'étanchéité", "Reseal", "leak", "weather", "repaired", 2.5, [2]string{"Scellant", "Sealant"}, 85, nil},
	{"C", "corrective", "Réparer les dommages", "Repair damage", "damage", "wear", "repaired", 4,
		[2]string{"Matériaux de finition", "Finishing materials"}, 220, nil},
	{"F1040", "preventive", "Entretien périodique", "Periodic service", "", "", "", 5, [2]string{"Huile et filtres", "Oil and filters"}, 340,
		inspectionSteps},
	{"F1040", "corrective", "Rendement insuffisant", "Poor performance", "performance", "wear", "adjusted", 3,
		[2]string{"Pièces d'usure", "Wearing parts"}, 210, nil},
	{"G30", "emergency", "Obstruction par des lingettes", "Clogged with wipes", "blockage", "foreign_object", "cleaned", 3, [2]string{"", ""},
		0, nil},
	{"G20", "corrective", "Réparer les dommages de l'hiver", "Repair winter damage", "damage", "weather", "repaired", 8,
		[2]string{"Matériaux", "Materials"}, 360, nil},
	{"E10", "corrective", "Équipement hors service", "Equipment out of order", "failure", "wear", "repaired", 2.5,
		[2]string{"Pièces", "Parts"}, 190, nil},

	{"water_main", "emergency", "Bris d'aqueduc", "Water main break", "break", "corrosion", "repaired", 14,
		[2]string{"Manchon de réparation", "Repair clamp"}, 890, waterSteps},
	{"water_main", "preventive", "Manœuvre des vannes et poteaux d'incendie", "Exercise valves and hydrants", "", "", "", 3, [2]string{"", ""},
		0, nil},
	{"road", "corrective", "Nids-de-poule", "Potholes", "pothole", "weather", "patched", 3, [2]string{"Enrobé à froid", "Cold mix"}, 260, nil},
	{"road", "corrective", "Refaire le marquage", "Repaint the markings", "worn", "wear", "painted", 4,
		[2]string{"Peinture routière", "Traffic paint"}, 310, nil},
	{"sanitary_sewer", "emergency", "Refoulement d'égout", "Sewer backup", "backup", "roots", "cleaned", 5, [2]string{"", ""}, 0, nil},
	{"storm_sewer", "corrective", "Puisard obstrué", "Blocked catch basin", "blockage", "debris", "cleaned", 2, [2]string{"", ""}, 0, nil},
	{"bridge", "inspection", "Inspection visuelle annuelle", "Annual visual inspection", "", "", "", 4, [2]string{"", ""}, 0, inspectionSteps},
}
