-- The tables of O. Reg. 588/17 a second time, from what each scenario of a run does to each element in each year, what its funds are, and
-- the classes' categories. It runs in the database of recount.sql, on its raw lines; asked says which run's first year and which scenarios.
CREATE TEMP TABLE asked_tables (first integer, levels text, funded text);
CREATE TEMP TABLE intervention (scenario text, element_id uuid, class_code text, year integer, chosen boolean, kind text, cost numeric, risk integer);
CREATE TEMP TABLE class (code text PRIMARY KEY, service_category text);
CREATE TEMP TABLE fund (code text PRIMARY KEY, source_type text, categories jsonb, growth numeric, year integer, amount numeric);
CREATE TEMP TABLE available (code text, year integer, available numeric); -- with what is carried, which the test holds against what is spent

CREATE TEMP VIEW done AS
SELECT i.*, k.service_category AS category FROM intervention i JOIN class k ON k.code = i.class_code
WHERE i.chosen AND i.year BETWEEN (SELECT first FROM asked_tables) AND (SELECT first + 10 FROM asked_tables);

-- Of each category and year, the first included: what the levels cost, and what the scenario with the money spends.
CREATE TEMP VIEW years AS
SELECT c.category || ' ' || y.year AS key, json_build_object(
	'maintenance', coalesce(sum(d.cost) FILTER (WHERE d.kind = 'maintenance'), 0), 'rehabilitation', coalesce(sum(d.cost) FILTER (WHERE d.kind = 'rehabilitation'), 0),
	'replacement', coalesce(sum(d.cost) FILTER (WHERE d.kind = 'replacement'), 0), 'cost', coalesce(sum(d.cost), 0), 'interventions', count(d.element_id),
	'given', CASE WHEN a.funded <> '' THEN coalesce((SELECT sum(m.cost) FROM done m WHERE m.scenario = a.funded AND m.category = c.category AND m.year = y.year), 0) END)::text AS answer
FROM asked_tables a
CROSS JOIN (SELECT DISTINCT k.service_category AS category FROM intervention i JOIN class k ON k.code = i.class_code) c
CROSS JOIN LATERAL generate_series(a.first, a.first + 10) y (year)
LEFT JOIN done d ON d.scenario = a.levels AND d.category = c.category AND d.year = y.year
GROUP BY a.funded, c.category, y.year;

-- A fund from the year on of which it says an amount.
CREATE TEMP VIEW money AS
WITH RECURSIVE flow AS (
	SELECT f.code, f.source_type, f.growth, f.year, f.amount FROM fund f
	UNION ALL
	SELECT code, source_type, growth, year + 1, round(amount * (1 + growth / 100), 2) FROM flow WHERE year < (SELECT first + 10 FROM asked_tables)
)
SELECT f.code || ' ' || f.year AS key, json_build_object('source_type', f.source_type, 'amount', f.amount)::text AS answer, f.code, f.year, f.amount FROM flow f
WHERE f.year > (SELECT first FROM asked_tables);

-- Years over all categories. Of a fund for everything and one for some categories, no money may pay what is left of all costs, or of those
-- outside of these categories, whichever is more (the least cut between costs and money).
CREATE TEMP VIEW totals AS
SELECT y.year::text AS key, json_build_object('cost', c.everything, 'funding', (SELECT sum(m.amount) FROM money m WHERE m.year = y.year),
	'carried', (SELECT sum(v.available - m.amount) FROM available v JOIN money m USING (code, year) WHERE v.year = y.year),
	'shortfall', greatest(0, c.everything - b.everywhere - b.somewhere, c.outside - b.everywhere))::text AS answer
FROM asked_tables a
CROSS JOIN LATERAL generate_series(a.first + 1, a.first + 10) y (year)
CROSS JOIN LATERAL (SELECT coalesce(sum(d.cost), 0) AS everything,
	coalesce(sum(d.cost) FILTER (WHERE NOT EXISTS (SELECT FROM fund f WHERE f.categories ? d.category)), 0) AS outside
	FROM done d WHERE d.scenario = a.levels AND d.year = y.year) c
CROSS JOIN LATERAL (SELECT sum(v.available) FILTER (WHERE f.categories = '[]') AS everywhere, sum(v.available) FILTER (WHERE f.categories <> '[]') AS somewhere
	FROM available v JOIN fund f USING (code) WHERE v.year = y.year) b;

-- The options: all scenarios. high_risk counts elements of a risk of 10 and more after the tenth year (docs/indicators.md).
CREATE TEMP VIEW options AS
SELECT i.scenario AS key, json_build_object('cost', coalesce(sum(i.cost) FILTER (WHERE i.chosen AND i.year BETWEEN a.first + 1 AND a.first + 10), 0),
	'first_year_cost', coalesce(sum(i.cost) FILTER (WHERE i.chosen AND i.year = a.first), 0),
	'high_risk_elements', count(*) FILTER (WHERE i.year = a.first + 10 AND i.risk >= 10))::text AS answer
FROM intervention i, asked_tables a GROUP BY i.scenario;

-- What the levels treat in the ten years and the money does not, by category and the risk that it has then.
CREATE TEMP VIEW not_done AS
SELECT l.category || ' ' || r.word AS key, json_build_object('elements', count(*), 'cost', sum(l.cost))::text AS answer
FROM (SELECT category, element_id, sum(cost) AS cost FROM done, asked_tables WHERE scenario = levels AND year > first GROUP BY 1, 2) l
JOIN asked_tables a ON true
JOIN intervention i ON i.scenario = a.funded AND i.element_id = l.element_id AND i.year = a.first + 10
CROSS JOIN LATERAL (SELECT CASE WHEN i.risk <= 4 THEN 'very_low' WHEN i.risk <= 7 THEN 'low' WHEN i.risk <= 9 THEN 'moderate'
	WHEN i.risk <= 14 THEN 'high' ELSE 'very_high' END AS word) r
WHERE NOT EXISTS (SELECT FROM done m WHERE m.scenario = a.funded AND m.element_id = l.element_id AND m.year > a.first)
GROUP BY l.category, r.word;
