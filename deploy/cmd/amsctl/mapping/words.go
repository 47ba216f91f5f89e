package mapping

import "strings"

// calledSo are the fields that a column may be, by the words of its name; the first that the collection has is taken. meansSo are the words
// of lists that a value may be. conditions are those of the scale from 1 (very good) to 5 (very poor).
var (
	calledSo   = readWords(columnNames)
	meansSo    = readWords(choiceNames + "shell: enveloppe\n") //nolint:misspell // French
	conditions = map[string]string{
		"very good": "1", "excellent": "1", "tres bon": "1", "tres bonne": "1", "a": "1", "good": "2", "bon": "2", "bonne": "2", "b": "2",
		"fair": "3", "moyen": "3", "moyenne": "3", "passable": "3", "acceptable": "3", "c": "3", "poor": "4", "mauvais": "4",
		"mauvaise": "4", "d": "4",
		"very poor": "5", "critical": "5", "critique": "5", "tres mauvais": "5", "tres mauvaise": "5", "e": "5", "f": "5",
	}
)

// readWords reads lines of "field: name, name".
func readWords(text string) map[string][]string {
	found := map[string][]string{}
	for line := range strings.Lines(text) {
		field, names, is := strings.Cut(strings.TrimSpace(line), ":")
		if !is {
			continue
		}
		for name := range strings.SplitSeq(names, ",") {
			key := words(name)
			found[key] = append(found[key], field)
		}
	}
	return found
}

// columnNames are what people in Canadian municipalities call the fields, in English and French.
const columnNames = `
external_id: id, identifier, unique id, record id, object id, objectid, fid, gis id, facility id, external id, external reference, key
external_id: identifiant, identifiant unique, id externe, clé, id sig, fid, référence externe
asset_tag: asset id, asset number, asset no, asset tag, tag, tag number, equipment number, equipment id, equipment no, étiquette
asset_tag: numéro d'actif, no d'actif, numéro d'équipement, no d'équipement, numéro d'inventaire, matricule
code: code, building code, building number, building no, site code, site number, facility code, facility number, code du bâtiment
code: numéro du bâtiment, code de l'immeuble, code du site, numéro du site, no bâtiment
segment_code: segment, segment id, segment number, road id, pipe id, code du tronçon, tronçon, numéro du tronçon, no tronçon
number: number, numéro, no
name: name, asset name, building name, site name, facility, facility name, building, asset, equipment, equipment name, property
name: property name, label, vendor, vendor name, supplier, company, full name, segment name, street, street name, road, nom
name: nom du bâtiment, nom du site, bâtiment, immeuble, actif, nom de l'actif, équipement, nom de l'équipement, désignation, libellé
name: propriété, site, fournisseur, nom du fournisseur, entreprise, nom complet, rue, nom de rue, voie
title: title, subject, summary, work requested, titre, objet, sujet, intitulé, travaux demandés, name, nom, description
description: description, details, asset description, équipement description, détails, descriptif
notes: notes, note, comment, comments, remark, remarks, observations, commentaire, commentaires, remarque, remarques
site_external_id: site, site id, site external id, park, property id, campus, id du site, identifiant du site
building_external_id: building, building id, facility id, building external id, bâtiment, id du bâtiment, identifiant du bâtiment, immeuble
system_external_id: system, system id, système, id du système
parent_asset_external_id: parent, parent asset, parent id, actif parent, équipement parent
network_external_id: network, network id, réseau, id du réseau
segment_external_id: segment, segment id, tronçon
asset_external_id: asset, asset id, equipment, actif, équipement, id de l'actif
vendor_external_id: vendor, vendor id, contractor, supplier, fournisseur, entrepreneur
work_order_external_id: work order, wo, bon de travail
class_external_id: class, asset class, classe, catégorie d'immobilisation
building_type: type, building type, use, facility type, type de bâtiment, type d'immeuble, usage, vocation
site_type: type, site type, type de site
type: type, work type, type de travail, type de travaux
category: category, asset category, discipline, trade, catégorie, spécialité, corps de métier
kind: kind, type, sorte
status: status, state, statut, état
ownership: ownership, tenure, owner type, propriété, mode de possession, tenure
criticality: criticality, criticité
priority: priority, priorité
service_category: service, department, service area, domaine de service, service municipal
department: department, service, département, direction
ward: ward, district, arrondissement, quartier, secteur
address_line1: address, street address, civic address, address 1, adresse, adresse civique, adresse 1
address_line2: address 2, unit, adresse 2
address_text: address, location address, adresse
city: city, town, municipality, ville, municipalité
province: province, prov, state
postal_code: postal code, postcode, zip, code postal
country: country, pays
latitude: lat, y, latitude
longitude: long, lng, lon, x, longitude
location: location, room, floor, place, emplacement, localisation, local, pièce, étage, lieu
uniformat_code: uniformat, uniformat ii, uniformat code, code uniformat
manufacturer: manufacturer, make, brand, fabricant, marque
model: model, model number, model no, modèle, numéro de modèle, no modèle
serial_number: serial, serial number, serial no, s n, numéro de série, no de série
barcode: barcode, bar code, code barres, code à barres
quantity: quantity, qty, count, quantité, qté, nombre
unit: unit, units, uom, unité, unité de mesure
install_date: install date, installed, installation date, date installed, in service date, commissioning date, date d'installation
install_date: date de mise en service, installé le
install_year: install year, year installed, installation year, year of installation, année d'installation, année de mise en service
install_year: an installation
year_built: year built, built, construction year, year of construction, year constructed, année de construction, an construction
year_built: construit en
year_renovated: year renovated, renovation year, renovated, année de rénovation, rénové en
gross_floor_area_m2: gross floor area, gfa, floor area, area, superficie, superficie brute, superficie de plancher, aire de plancher
gross_floor_area_m2: gross area m2, area m2, superficie m2
land_area_m2: land area, lot area, area, superficie du terrain, superficie de terrain, superficie
floors_above_grade: floors, storeys, stories, number of floors, number of storeys, étages, nombre d'étages
floors_below_grade: basements, floors below grade, sous sols, étages sous le sol
capacity: capacity, capacité
accessible: accessible, barrier free, accessibilité, accessible aux personnes handicapées
heritage_designated: heritage, heritage designated, patrimonial, classé patrimonial
replacement_cost: replacement cost, replacement value, crv, current replacement value, cost of replacement, insured value
replacement_cost: coût de remplacement, valeur de remplacement, valeur à neuf, vr
replacement_cost_year: cost year, replacement cost year, année du coût, année de la valeur
replacement_cost_as_of: appraised, appraisal date, valuation date, date d'évaluation
acquisition_cost: acquisition cost, purchase price, purchase cost, original cost, historical cost, coût d'acquisition, prix d'achat
acquisition_cost: coût historique, coût d'origine
acquisition_date: acquisition date, purchase date, acquired, date acquired, date d'acquisition, date d'achat, acquis le
deferred_maintenance_cost: deferred maintenance, deferred maintenance cost, backlog, entretien différé, déficit d'entretien
deferred_maintenance_cost: maintien d'actifs
condition_rating: condition, condition rating, condition score, rating, condition grade, état, cote d'état, état physique, cote
condition_rating: indice d'état
condition_assessed_on: condition date, assessed, assessment date, inspected, inspection date, last inspection, survey date, surveyed
condition_assessed_on: date d'inspection, date de l'inspection, date d'évaluation, dernière inspection
expected_useful_life_years: useful life, expected useful life, eul, life expectancy, service life, estimated useful life, esl
expected_useful_life_years: useful life years, durée de vie, durée de vie utile, vie utile, durée de vie utile années
useful_life_years: useful life, useful life years, durée de vie utile, durée de vie
planned_renewal_year: renewal year, replacement year, year of replacement, planned replacement, année de remplacement
planned_renewal_year: année de renouvellement
warranty_expires_on: warranty, warranty expiry, warranty end, warranty expires, fin de garantie, garantie, date de fin de garantie
consequence_of_failure: consequence, consequence of failure, cof, conséquence, conséquence de défaillance
probability_of_failure: probability, likelihood of failure, probability of failure, pof, probabilité, probabilité de défaillance
tags: tags, labels, keywords, étiquettes, mots clés
length_m: length, length m, longueur, longueur m
width_m: width, width m, largeur, largeur m
diameter_mm: diameter, diameter mm, pipe size, size, diamètre, diamètre mm
depth_m: depth, profondeur
material: material, pipe material, matériau, matériel
surface_type: surface, pavement, surface type, pavement type, revêtement, type de revêtement
functional_class: functional class, road classification, class, classe fonctionnelle, classification
lanes: lanes, number of lanes, voies, nombre de voies
speed_limit_kmh: speed, speed limit, posted speed, vitesse, limite de vitesse
aadt: aadt, traffic, average daily traffic, djma, débit journalier
from_description: from, from street, de, début
to_description: to, to street, à, fin
geometry: geometry, shape, wkt, géométrie
email: email, e mail, email address, courriel, adresse courriel
phone: phone, telephone, phone number, tel, téléphone, numéro de téléphone
contact: contact, contact name, contact person, personne ressource, nom du contact
trades: trades, trade, specialties, métiers, spécialités
job_title: job title, position, role, fonction, poste, titre d'emploi
employee_number: employee number, employee id, employee no, numéro d'employé, matricule
due_date: due, due date, required by, échéance, date d'échéance, date limite
scheduled_start: scheduled start, start, planned start, début prévu
scheduled_end: scheduled end, end, planned end, fin prévue
completed_at: completed, completion date, date completed, closed, terminé le, date de fin
estimated_cost: estimated cost, estimate, cost, coût estimé, estimation, coût
actual_cost: actual cost, cost, coût réel
estimated_hours: hours, estimated hours, heures, heures estimées
found_on: found, date found, reported on, constaté le, date du constat
requester_name: requester, requested by, demandeur, demandé par
requester_email: requester email, courriel du demandeur
residual_value: residual value, salvage value, valeur résiduelle, valeur de récupération
`

// choiceNames are the words of lists, as people write them.
const choiceNames = `
active: active, in use, actif, en usage
inactive: inactive, inactif
in_service: in service, active, operating, operational, in use, en service, actif, en fonction, en exploitation
out_of_service: out of service, inactive, down, hors service, inactif, en panne
planned: planned, future, planifié, prévu, projeté
retired: retired, disposed, demolished, abandoned, removed, retiré, démoli, disposé, abandonné
demolished: demolished, démoli
disposed: disposed, sold, vendu, disposé, aliéné
owned: owned, own, city owned, municipal, propriétaire, possédé, en propriété
leased: leased, rented, lease, loué, location, bail
managed: managed, géré
joint_use: joint use, shared, partagé, usage commun
low: low, minor, faible, basse, bas, mineure
medium: medium, moderate, normal, moyenne, moyen, modérée, normale
high: high, major, élevée, élevé, haute, majeure
critical: critical, très élevée, critique
urgent: urgent, emergency, urgence, urgente
corrective: corrective, repair, correctif, réparation
preventive: preventive, pm, préventif, entretien préventif
inspection: inspection
emergency: emergency, urgence
open: open, new, ouvert, nouveau, nouvelle
in_progress: in progress, started, en cours, en traitement
on_hold: on hold, waiting, en attente, suspendu
completed: completed, complete, done, finished, terminé, complété
closed: closed, fermé, clos
cancelled: cancelled, canceled, annulé
hvac: hvac, mechanical, heating, ventilation, cvac, cvca, mécanique, chauffage, ventilation
plumbing: plumbing, plomberie
electrical: electrical, électrique, électricité
fire_protection: fire protection, fire safety, protection incendie, incendie
conveying: elevator, elevators, conveying, ascenseur, ascenseurs, élévateur
shell: envelope, shell, exterior, roof, roofing, windows, toiture, toit, fenêtres
interiors: interior, interiors, finishes, intérieur, intérieurs, finitions
substructure: foundation, foundations, substructure, fondation, fondations
sitework: site, sitework, paving, aménagement extérieur
equipment_furnishings: equipment, furniture, équipement, équipements, mobilier
controls: controls, automation, contrôles, régulation
school: school, école
administration: office, administration, city hall, town hall, hôtel de ville, mairie, bureau
arena: arena, rink, aréna, patinoire
pool: pool, piscine
library: library, bibliothèque
community_centre: community centre, community center, recreation centre, centre communautaire, centre récréatif
fire_hall: fire hall, fire station, caserne, caserne de pompiers
police: police, police station, poste de police
works_garage: works garage, public works, garage municipal, atelier, travaux publics
pump_station: pump station, pumping station, station de pompage, poste de pompage
treatment: treatment plant, usine de traitement, station d'épuration, usine de filtration
housing: housing, apartments, logement, logements, habitation
warehouse: warehouse, entrepôt
parking: parking, stationnement
park: park, parc
campus: campus
works_yard: works yard, cour de voirie
roads: roads, road, routes, voirie
water: water, aqueduc, eau potable, eau
wastewater: wastewater, sewer, égout, égouts, eaux usées
stormwater: stormwater, storm, pluvial, eaux pluviales
facilities: facilities, buildings, bâtiments, immeubles
parks_recreation: parks, recreation, parcs, loisirs
fleet: fleet, vehicles, flotte, véhicules
fire: fire, incendie, incendies
ON: ontario
QC: quebec, québec
BC: british columbia, colombie britannique
AB: alberta
MB: manitoba
SK: saskatchewan
NS: nova scotia, nouvelle écosse
NB: new brunswick, nouveau brunswick
NL: newfoundland and labrador, newfoundland, terre neuve et labrador
PE: prince edward island, île du prince édouard
`
