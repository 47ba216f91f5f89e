package demo

// buildingKind is what buildings of a kind have in common.
type buildingKind struct {
	area        int     // usual gross floor area, m²
	costPerM2   float64 // to replace the whole building today, CAD
	life        int
	floors      int
	capacity    int // people per 1,000 m²
	criticality string
	systems     []string // of systemKinds
}

var shell = []string{"roof", "envelope", "interiors"}

func with(more ...string) []string { return append(append([]string{}, shell...), more...) }

var buildingKinds = map[string]buildingKind{
	"school": {4600, 4100, 60, 2, 110, "high", with("conveying", "plumbing", "heating", "ventilation", "fire", "power", "lighting",
		"communications", "kitchen", "sitework")},
	"administration": {3200, 4600, 60, 3, 45, "medium", with("conveying", "plumbing", "heating", "ventilation", "cooling", "fire", "power",
		"lighting", "communications")},
	"arena": {4300, 5200, 50, 1, 230, "medium", with("plumbing", "heating", "ventilation", "refrigeration", "fire", "power",
		"lighting", "sitework")},
	"pool": {2600, 6900, 45, 1, 120, "medium", with("plumbing", "heating", "ventilation", "aquatics", "fire", "power",
		"lighting")},
	"library": {2100, 5300, 60, 2, 90, "medium", with("conveying", "plumbing", "heating", "ventilation", "cooling", "fire", "power",
		"lighting", "communications")},
	"community_centre": {1500, 4700, 55, 1, 150, "medium", with("plumbing", "heating", "ventilation", "fire", "power", "lighting", "kitchen")},
	"fire_hall": {1250, 5600, 50, 2, 20, "critical", with("plumbing", "heating", "ventilation", "fire", "power", "lighting",
		"communications", "vehicles")},
	"police": {5400, 6100, 50, 2, 35, "critical", with("conveying", "plumbing", "heating", "ventilation", "cooling", "fire", "power",
		"lighting", "communications")},
	"works_garage": {2100, 2700, 45, 1, 10, "medium", with("plumbing", "heating", "fire", "power", "lighting", "vehicles")},
	"warehouse":    {1200, 1900, 45, 1, 5, "low", with("heating", "fire", "power", "lighting")},
	"parking":      {4200, 1500, 45, 4, 0, "medium", []string{"envelope", "plumbing", "ventilation", "fire", "power", "lighting"}},
	"housing": {2400, 3600, 60, 4, 30, "high", with("conveying", "plumbing", "heating", "ventilation", "fire", "power", "lighting",
		"communications")},
	"child_care": {480, 4900, 50, 1, 90, "high", with("plumbing", "heating", "fire", "power", "lighting")},
	"treatment": {2800, 8200, 60, 2, 4, "critical", with("plumbing", "heating", "ventilation", "process", "controls", "fire", "power",
		"lighting")},
	"pump_station": {130, 9800, 50, 1, 0, "critical", []string{"roof", "envelope", "pumping", "controls", "power"}},
	"other":        {300, 2400, 40, 1, 20, "low", []string{"roof", "envelope", "plumbing", "power"}},
}

// systemKind is a building system by UNIFORMAT II. What belongs to the fabric has a cost of its own, by floor area;
// the others are worth the sum of their assets.
type systemKind struct {
	code      string
	french    string
	english   string
	life      int
	costPerM2 float64
	equipment []equipmentKind
}

// equipmentKind is what is installed in a system: how many, how long it lasts, what it costs.
type equipmentKind struct {
	code      string
	french    string
	english   string
	category  string // a tag; the service derives its own category from the code
	life      int
	low, high float64 // cost of one, CAD
	per1000   float64 // how many per 1,000 m² of floor
	maximum   int
	makers    []string // "manufacturer|model"
	part      []string // French and English name of a part that is an asset of its own
}

var systemKinds = map[string]systemKind{
	"roof": {"B3010", "Toiture", "Roof", 25, 310, []equipmentKind{
		{"B301001", "Section de toiture", "Roof section", "roofing", 25, 24000, 145000, 0.9, 8,
			[]string{"Soprema|Sopraply 520", "IKO|Torchflex TP-250", "Firestone|EcoWhite EPDM"}, nil},
		{"B3020", "Puits de lumière", "Skylight", "roofing", 30, 3200, 14000, 0.3, 4, []string{"Velux|CurveTech 4040", "Kingspan|UniQuad"}, nil},
		{"B3010", "Drains de toit", "Roof drains", "roofing", 30, 900, 2400, 0.8, 8, []string{"Zurn|Z100", "Watts|RD-100"}, nil},
	}},
	"envelope": {"B20", "Enveloppe extérieure", "Exterior enclosure", 45, 420, []equipmentKind{
		{"B2020", "Fenestration, façade", "Window wall, elevation", "windows", 35, 14000, 92000, 0.7, 8,
			[]string{"Kawneer|1600 Wall", "Alumicor|ThermaWall 2600"}, nil},
		{"B2030", "Porte extérieure", "Exterior door", "doors", 25, 2600, 8800, 1.6, 14, []string{"Assa Abloy|Curries 747", "Steelcraft|L18"},
			nil},
		{"B203003", "Porte de garage", "Overhead door", "doors", 20, 7800, 26000, 0.3, 6, []string{"Garaga|G-5000", "Richards-Wilcox|T200"}, nil},
	}},
	"interiors": {"C30", "Finis intérieurs", "Interior finishes", 20, 260, []equipmentKind{
		{"C3020", "Revêtement de sol, zone", "Floor finish, zone", "finishes", 18, 6500, 42000, 0.8, 8,
			[]string{"Forbo|Marmoleum", "Tarkett|iQ Granit"}, nil},
		{"C1020", "Portes coupe-feu", "Fire doors", "doors", 30, 1900, 5200, 1.1, 10, []string{"Assa Abloy|Baron FD", "Steelcraft|B18"}, nil},
	}},
	"conveying": {"D1010", "Transport vertical", "Conveying", 25, 0, []equipmentKind{
		{"D101001", "Ascenseur", "Passenger elevator", "elevators", 25, 165000, 340000, 0.22, 3,
			[]string{"Otis|Gen2", "Schindler|3300", "TK Elevator|endura A"}, []string{"Contrôleur d'ascenseur", "Elevator controller"}},
		{"D1010", "Plateforme élévatrice", "Barrier-free lift", "elevators", 20, 38000, 74000, 0.12, 1,
			[]string{"Savaria|V-1504", "Garaventa|Genesis"}, nil},
	}},
	"plumbing": {"D20", "Plomberie", "Plumbing", 35, 0, []equipmentKind{
		{"D2020", "Chauffe-eau", "Domestic water heater", "plumbing", 14, 4200, 26000, 0.5, 4,
			[]string{"A.O. Smith|Cyclone BTH-199", "Bradford White|eF-100T", "Giant|UG75"}, nil},
		{"D2020", "Dispositif antirefoulement", "Backflow preventer", "plumbing", 18, 2100, 11800, 0.5, 4,
			[]string{"Watts|909", "Zurn Wilkins|375"}, nil},
		{"D2010", "Bloc sanitaire", "Washroom fixtures", "plumbing", 25, 9000, 38000, 1.5, 16,
			[]string{"Sloan|Royal 111", "American Standard|Madera"}, nil},
		{"D2030", "Pompe de puisard", "Sump pump", "pumps", 12, 2400, 9800, 0.4, 4, []string{"Flygt|DP 3069", "Zoeller|M98"}, nil},
		{"D2010", "Fontaine réfrigérée", "Drinking fountain with bottle filler", "plumbing", 15, 1900, 3800, 1.0, 12,
			[]string{"Elkay|LZS8WSLP", "Oasis|PG8EBF"}, nil},
	}},
	"heating": {"D3020", "Chauffage", "Heating", 30, 0, []equipmentKind{
		{"D302001", "Chaudière", "Boiler", "boilers", 25, 42000, 168000, 0.5, 4,
			[]string{"Viessmann|Vitocrossal 200", "Cleaver-Brooks|ClearFire CFC", "Lochinvar|Crest FBN", "Camus|DynaFlame"},
			[]string{"Brûleur", "Burner"}},
		{"D3020", "Pompe de circulation", "Circulation pump", "pumps", 18, 4800, 22000, 1.1, 10,
			[]string{"Armstrong|4300 Vertical In-Line", "Grundfos|Magna3 65-150", "Bell & Gossett|Series 80"}, nil},
		{"D3020", "Aérotherme", "Unit heater", "heating", 20, 1800, 6400, 1.2, 12, []string{"Reznor|UDX", "Modine|PDP", "Ouellet|OAS"}, nil},
		{"D3020", "Vase d'expansion", "Expansion tank", "heating", 25, 1600, 5200, 0.3, 3, []string{"Amtrol|AX-80V", "Taco|CBX130"}, nil},
	}},
	"ventilation": {"D3040", "Ventilation", "Ventilation", 25, 0, []equipmentKind{
		{"D304001", "Centrale de traitement d'air", "Air handling unit", "air_handling", 25, 58000, 215000, 0.6, 7,
			[]string{"Trane|Performance Climate Changer", "Carrier|39M", "Daikin|Vision", "Venmar CES|ERV-5000"},
			[]string{"Moteur du ventilateur de soufflage", "Supply fan motor"}},
		{"D3040", "Ventilateur d'extraction", "Exhaust fan", "air_handling", 20, 2300, 12400, 2.0, 18,
			[]string{"Greenheck|CUBE-141", "Twin City|BCRD", "Loren Cook|ACE-B"}, nil},
		{"D3050", "Unité de toit", "Rooftop unit", "air_handling", 18, 21000, 78000, 0.7, 8,
			[]string{"Lennox|Energence LGH", "Trane|Precedent", "Carrier|WeatherMaster 48"}, nil},
	}},
	"cooling": {"D3030", "Climatisation", "Cooling", 23, 0, []equipmentKind{
		{"D303001", "Refroidisseur", "Chiller", "cooling", 23, 145000, 390000, 0.3, 2,
			[]string{"Trane|CGAM 80", "York|YLAA0120", "Carrier|AquaSnap 30RB"}, []string{"Compresseur", "Compressor"}},
		{"D3030", "Climatiseur bibloc", "Split air conditioner", "cooling", 15, 6200, 17500, 0.8, 6,
			[]string{"Mitsubishi|Mr. Slim PUZ", "Daikin|SkyAir FTX"}, nil},
	}},
	"controls": {"D3060", "Automatisation et télémétrie", "Controls and telemetry", 15, 0, []equipmentKind{
		{"D3060", "Automate programmable", "Programmable controller", "controls", 15, 9500, 42000, 0.8, 5,
			[]string{"Schneider|Modicon M580", "Rockwell|CompactLogix 5380"}, nil},
		{"D3060", "Transmetteur de niveau", "Level transmitter", "instruments", 12, 2800, 7600, 1.6, 8,
			[]string{"Endress+Hauser|Micropilot FMR20", "Siemens|SITRANS LR110"}, nil},
		{"D3060", "Débitmètre électromagnétique", "Magnetic flow meter", "instruments", 18, 5600, 24000, 1.0, 6,
			[]string{"Krohne|Optiflux 2000", "ABB|WaterMaster"}, nil},
	}},
	"fire": {"D40", "Protection incendie", "Fire protection", 30, 0, []equipmentKind{
		{"D4030", "Panneau d'alarme incendie", "Fire alarm panel", "life_safety", 20, 14000, 58000, 0.2, 2,
			[]string{"Simplex|4100ES", "Notifier|NFS2-3030", "Mircom|FX-2000"}, nil},
		{"D4010", "Colonne de gicleurs", "Sprinkler riser", "life_safety", 40, 6800, 24000, 0.4, 4,
			[]string{"Victaulic|FireLock 717", "Viking|E-1"}, nil},
		{"D4030", "Extincteur portatif", "Portable fire extinguisher", "life_safety", 12, 95, 240, 3.2, 28,
			[]string{"Amerex|B456", "Ansul|Sentry A10S"}, nil},
	}},
	"power": {"D5010", "Alimentation électrique", "Electrical service", 35, 0, []equipmentKind{
		{"D5010", "Tableau principal", "Main switchboard", "electrical", 35, 38000, 142000, 0.2, 2,
			[]string{"Schneider|QED-2", "Eaton|Pow-R-Line C", "Siemens|SB3"}, nil},
		{"D5010", "Panneau de distribution", "Distribution panel", "electrical", 35, 3400, 11800, 1.9, 18,
			[]string{"Schneider|I-Line", "Eaton|PRL-3X", "Siemens|P2"}, nil},
		{"D5010", "Transformateur sec", "Dry-type transformer", "electrical", 30, 5200, 21000, 0.4, 4,
			[]string{"Hammond|HPS Sentinel G", "Rex|BC75"}, nil},
		{"D5090", "Groupe électrogène", "Standby generator", "generators", 28, 48000, 265000, 0.18, 1,
			[]string{"Cummins|C150D6", "Kohler|200REOZJF", "Caterpillar|C9"}, nil},
	}},
	"lighting": {"D5020", "Éclairage", "Lighting", 20, 0, []equipmentKind{
		{"D5020", "Luminaires, zone", "Luminaires, zone", "lighting", 18, 5200, 34000, 1.1, 10,
			[]string{"Lumenwerx|Via 3", "Philips|FluxGrid", "Signify|Ledalite"}, nil},
		{"D5020", "Éclairage d'urgence", "Emergency lighting unit", "life_safety", 12, 380, 1100, 2.4, 20,
			[]string{"Lumacell|RG12S", "Beghelli|Fortezza"}, nil},
	}},
	"communications": {"D5030", "Communications et sûreté", "Communications and security", 12, 0, []equipmentKind{
		{"D5030", "Contrôleur d'accès", "Access controller", "security", 12, 3600, 13000, 0.6, 6,
			[]string{"Kantech|KT-400", "Genetec|Synergis SV-300"}, nil},
		{"D5030", "Caméra de surveillance", "Surveillance camera", "security", 8, 650, 1900, 2.2, 20,
			[]string{"Axis|P3265-LVE", "Hanwha|XNV-8083R"}, nil},
		{"D5030", "Système d'appel général", "Public address system", "communications", 15, 7800, 28000, 0.2, 1,
			[]string{"Bogen|Nyquist E7000", "TOA|VM-3000"}, nil},
	}},
	"kitchen": {"E1090", "Cuisine", "Kitchen equipment", 15, 0, []equipmentKind{
		{"E1090", "Hotte de cuisine", "Kitchen hood", "kitchen", 20, 8600, 29000, 0.4, 2, []string{"Halton|KVE", "Captive-Aire|ND-2"}, nil},
		{"E1090", "Réfrigérateur commercial", "Commercial refrigerator", "kitchen", 12, 3900, 9600, 0.5, 3,
			[]string{"True|T-49", "Traulsen|G20010"}, nil},
	}},
	"vehicles": {"E1030", "Équipement d'atelier", "Vehicle service equipment", 18, 0, []equipmentKind{
		{"E1030", "Pont élévateur", "Vehicle hoist", "shop_equipment", 20, 16000, 88000, 0.9, 5, []string{"Rotary|SPO12", "Stertil-Koni|ST 1085"},
			nil},
		{"D3090", "Captation des gaz d'échappement", "Vehicle exhaust extraction", "shop_equipment", 18, 9000, 34000, 0.8, 4,
			[]string{"Plymovent|SBTA", "Nederman|MagnaTrack"}, nil},
		{"E1030", "Compresseur d'air", "Air compressor", "shop_equipment", 15, 7400, 22000, 0.7, 3,
			[]string{"Ingersoll Rand|UP6-15", "Atlas Copco|GA11"}, nil},
	}},
	"refrigeration": {"F1040", "Réfrigération de la glace", "Ice plant", 25, 0, []equipmentKind{
		{"F1040", "Compresseur d'ammoniac", "Ammonia compressor", "refrigeration", 22, 88000, 176000, 0.6, 4,
			[]string{"Mycom|N6WA", "Vilter|VMC 440", "CIMCO|6x6"}, []string{"Moteur du compresseur", "Compressor motor"}},
		{"F1040", "Condenseur évaporatif", "Evaporative condenser", "refrigeration", 18, 96000, 185000, 0.25, 1,
			[]string{"Evapco|ATC-130", "BAC|CXVB"}, nil},
		{"F1040", "Échangeur saumure–ammoniac", "Brine chiller", "refrigeration", 22, 64000, 148000, 0.25, 1,
			[]string{"Alfa Laval|M15", "CIMCO|Shell 24"}, nil},
		{"F1040", "Bandes de patinoire", "Rink boards and glass", "arena_equipment", 25, 175000, 290000, 0.2, 1,
			[]string{"Athletica|Crystaplex Pro", "Permafrost|NHL-2"}, nil},
		{"F1040", "Détecteur d'ammoniac", "Ammonia detector", "life_safety", 8, 2200, 5200, 0.9, 4,
			[]string{"MSA|Chillgard 5000", "Honeywell|E3Point"}, nil},
	}},
	"aquatics": {"F1040", "Traitement de l'eau de piscine", "Pool water treatment", 20, 0, []equipmentKind{
		{"F1040", "Filtre à sable", "Sand filter", "pool_equipment", 20, 24000, 68000, 1.2, 4,
			[]string{"Neptune Benson|Defender SP-33", "Eko3|ESP 2000"}, nil},
		{"F1040", "Pompe de recirculation", "Recirculation pump", "pumps", 15, 9800, 26000, 1.4, 4, []string{"Pentair|EQ-1500", "Aurora|344A"},
			nil},
		{"F1040", "Doseur de chlore", "Chlorine feeder", "pool_equipment", 12, 5200, 14800, 0.8, 2,
			[]string{"Accu-Tab|3140AT", "ProMinent|DULCOMETER"}, nil},
	}},
	"pumping": {"G3020", "Pompage des eaux usées", "Wastewater pumping", 25, 0, []equipmentKind{
		{"G3020", "Pompe submersible", "Submersible pump", "pumps", 18, 28000, 118000, 15, 4,
			[]string{"Flygt|NP 3202", "KSB|Amarex KRT", "Sulzer|XFP 150"}, []string{"Moteur submersible", "Submersible motor"}},
		{"G3020", "Clapet de retenue", "Check valve", "valves", 25, 4800, 15800, 15, 4, []string{"Val-Matic|Surgebuster", "DeZurik|APCO CSV"},
			nil},
		{"G3020", "Vanne murale", "Sluice gate", "valves", 30, 12000, 44000, 8, 2, []string{"Fontaine-Aquanox|Série 20", "Orbinox|MU"}, nil},
	}},
	"process": {"F1040", "Procédé de traitement", "Treatment process", 25, 0, []equipmentKind{
		{"F1040", "Filtre bicouche", "Dual-media filter", "process", 30, 210000, 540000, 1.6, 6, []string{"Leopold|Type S", "Veolia|Actiflo"},
			nil},
		{"F1040", "Réacteur ultraviolet", "Ultraviolet reactor", "process", 20, 145000, 310000, 0.9, 4,
			[]string{"Trojan|UVSwift 24", "Wedeco|K143"}, nil},
		{"F1040", "Pompe doseuse", "Metering pump", "pumps", 12, 5400, 18500, 3.4, 14, []string{"ProMinent|Sigma S2", "Grundfos|DDA 60"}, nil},
		{"F1040", "Pompe verticale à turbine", "Vertical turbine pump", "pumps", 25, 92000, 265000, 1.6, 6,
			[]string{"Flowserve|VTP 20EHM", "Goulds|DWT"}, []string{"Moteur à vitesse variable", "Variable-speed motor"}},
		{"F1040", "Soufflante", "Blower", "process", 20, 64000, 178000, 1.0, 4, []string{"Aerzen|Delta Blower", "Neuros|NX150"}, nil},
		{"F1040", "Analyseur de chlore résiduel", "Chlorine residual analyser", "instruments", 10, 6200, 14200, 1.6, 6,
			[]string{"Hach|CL17sc", "ATI|Q46H"}, nil},
		{"F1040", "Analyseur de turbidité", "Turbidity analyser", "instruments", 10, 5800, 12400, 1.8, 6,
			[]string{"Hach|TU5300sc", "Swan|Turbiwell"}, nil},
	}},
	"sitework": {"G2020", "Aménagements extérieurs", "Site improvements", 25, 34, []equipmentKind{
		{"G2020", "Stationnement, secteur", "Parking lot, section", "paving", 22, 38000, 165000, 0.4, 4,
			[]string{"Coco Paving|HL3/HL8", "Eurovia|EG-10"}, nil},
		{"G2040", "Clôture", "Fencing", "site", 30, 6500, 32000, 0.3, 3, []string{"Lundy|Chain link 1.8 m", "Omega|Architectural"}, nil},
	}},
}

var frenchCategories = map[string]string{
	"air_handling": "traitement-d'air", "arena_equipment": "équipement-d'aréna", "boilers": "chaudières", "communications": "communications",
	"controls": "automatisation", "cooling": "climatisation", "doors": "portes", "electrical": "électricité", "elevators": "ascenseurs",
	"finishes": "finis", "generators": "génératrices", "heating": "chauffage", "instruments": "instruments", "kitchen": "cuisine",
	"life_safety": "sécurité-incendie", "lighting": "éclairage", "paving": "pavage", "plumbing": "plomberie",
	"pool_equipment": "équipement-de-piscine",
	"process":        "procédé", "pumps": "pompes", "refrigeration": "réfrigération", "roofing": "toiture", "security": "sûreté",
	"shop_equipment": "équipement-d'atelier", "site": "aménagement", "valves": "vannes", "windows": "fenêtres",
}
