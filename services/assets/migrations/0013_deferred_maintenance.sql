-- Deferred maintenance follows from deficiencies: each record has the sums of its own, so that no figure reads deficiencies one by one.

-- +goose Up

-- deficiency_years are 0 and the action years of the record's live deficiencies that count, in their order; NULL where the record has no
-- deficiency that is not void. deficiency_costs are what those cost whose action year is none or at most that of the same place,
-- deficiency_unpriced how many of them nobody knows the cost of, NULL where there is none. deficiency_cost_year is the year of whose prices all of these costs are,
-- 0 where they are of several; NULL without a cost. What these columns mean in SQL is written in package deficiencies.
ALTER TABLE site
    ADD COLUMN deficiency_years     integer[],
    ADD COLUMN deficiency_costs     numeric[],
    ADD COLUMN deficiency_unpriced  integer[],
    ADD COLUMN deficiency_cost_year integer;
ALTER TABLE building
    ADD COLUMN deficiency_years     integer[],
    ADD COLUMN deficiency_costs     numeric[],
    ADD COLUMN deficiency_unpriced  integer[],
    ADD COLUMN deficiency_cost_year integer;
ALTER TABLE system
    ADD COLUMN deficiency_years     integer[],
    ADD COLUMN deficiency_costs     numeric[],
    ADD COLUMN deficiency_unpriced  integer[],
    ADD COLUMN deficiency_cost_year integer,
    -- What was typed, while deferred_maintenance_cost follows from deficiencies. An asset's follows from its statements.
    ADD COLUMN typed_deferred_maintenance_cost numeric(15,2);
ALTER TABLE asset
    ADD COLUMN deficiency_years     integer[],
    ADD COLUMN deficiency_costs     numeric[],
    ADD COLUMN deficiency_unpriced  integer[],
    ADD COLUMN deficiency_cost_year integer;

-- Summaries look years up in every row: without a short header they are read where they stand.
ALTER TABLE asset ALTER COLUMN deficiency_years SET STORAGE PLAIN;
CREATE INDEX asset_cost_years ON asset (organization_id) WHERE deficiency_cost_year = 0;

-- add_up_deficiencies adds up the deficiencies of records of a kind (site, building, system, asset), and sets what of assets and systems
-- follows from them. Whoever writes other deficiencies of one of these records waits, so that all are added up. The records have no new
-- version for it: a deficiency has its own, and the history of a record says what was typed on it, which the figures of past days read.
-- +goose StatementBegin
CREATE FUNCTION add_up_deficiencies(kind text, organization uuid, records uuid[]) RETURNS void
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    this_year integer := extract(year FROM coalesce(nullif(current_setting('ams.today', true), '')::date, CURRENT_DATE));
    joined    text := '';
    also      text := '';
    shown     text := '';
BEGIN
    IF records IS NULL THEN
        RETURN;
    END IF;
    IF kind = 'system' THEN
        also := $also$,
            typed_deferred_maintenance_cost = CASE WHEN t.deficiency_years IS NULL THEN t.deferred_maintenance_cost
                ELSE t.typed_deferred_maintenance_cost END,
            deferred_maintenance_cost = CASE WHEN n.years IS NOT NULL THEN n.costs[width_bucket($3, n.years)]
                WHEN t.deficiency_years IS NULL THEN t.deferred_maintenance_cost ELSE t.typed_deferred_maintenance_cost END$also$;
    ELSIF kind = 'asset' THEN
        -- Without deficiencies it is again what statements say: the rule is indicators.DrivingCost.
        joined := $joined$
            LEFT JOIN LATERAL (SELECT e.cost, e.said_on FROM (
                    SELECT c.deferred_maintenance_cost AS cost, c.assessed_on AS said_on, false AS own, c.position FROM condition_assessment c
                    WHERE c.organization_id = $1 AND c.asset_id = r.id AND c.deferred_maintenance_cost IS NOT NULL
                    UNION ALL
                    SELECT a.own_deferred_maintenance_cost, a.own_deferred_maintenance_as_of, true, NULL FROM asset a
                    WHERE a.organization_id = $1 AND a.id = r.id) e
                ORDER BY e.said_on DESC NULLS LAST, e.own DESC, e.position DESC NULLS LAST LIMIT 1) said ON y.record_id IS NULL$joined$;
        also := $also$,
            deferred_maintenance_cost = CASE WHEN n.years IS NOT NULL THEN n.costs[width_bucket($3, n.years)] ELSE n.cost END,
            deferred_maintenance_as_of = CASE WHEN n.years IS NULL THEN n.said_on END$also$;
        shown := ', said.cost, said.said_on';
    END IF;
    EXECUTE format('SELECT FROM %I WHERE organization_id = $1 AND id = ANY($2) ORDER BY id FOR NO KEY UPDATE', kind)
        USING organization, records;
    EXECUTE format($update$
        UPDATE %1$I t SET deficiency_years = n.years, deficiency_costs = n.costs, deficiency_unpriced = n.unpriced,
            deficiency_cost_year = n.cost_year %4$s
        FROM (SELECT r.id, y.*%5$s FROM unnest($2) AS r (id) LEFT JOIN (
                SELECT s.record_id, 0 || array_agg(s.year ORDER BY s.year) FILTER (WHERE s.year > 0) AS years,
                    coalesce(max(s.cost) FILTER (WHERE s.year = 0), 0) || array_agg(s.cost ORDER BY s.year) FILTER (WHERE s.year > 0) AS costs,
                    CASE WHEN max(s.unpriced) > 0 THEN coalesce(max(s.unpriced) FILTER (WHERE s.year = 0), 0)
                        || array_agg(s.unpriced ORDER BY s.year) FILTER (WHERE s.year > 0) END AS unpriced,
                    CASE WHEN min(s.first) = max(s.last) THEN min(s.first) WHEN min(s.first) IS NOT NULL THEN 0 END AS cost_year
                FROM (
                    SELECT d.%2$I AS record_id, at.year,
                        sum(coalesce(sum(d.estimated_cost) FILTER (WHERE d.counts_as_deferred), 0)) OVER earlier AS cost,
                        (sum(count(*) FILTER (WHERE d.counts_as_deferred AND d.estimated_cost IS NULL)) OVER earlier)::integer AS unpriced,
                        min(priced.year) AS first, max(priced.year) AS last
                    FROM deficiency d
                    CROSS JOIN LATERAL (SELECT CASE WHEN d.counts_as_deferred THEN coalesce(d.action_year, 0) ELSE 0 END AS year) at
                    CROSS JOIN LATERAL (SELECT CASE WHEN d.counts_as_deferred AND d.estimated_cost IS NOT NULL
                        THEN coalesce(d.cost_year, extract(year FROM d.found_on)::integer) END AS year) priced
                    WHERE d.organization_id = $1 AND d.%2$I = ANY($2) AND d.status <> 'void'
                    GROUP BY 1, 2 WINDOW earlier AS (PARTITION BY d.%2$I ORDER BY at.year)) s
                GROUP BY 1) y ON y.record_id = r.id %3$s) n
        WHERE t.organization_id = $1 AND t.id = n.id AND (t.deficiency_years, t.deficiency_costs, t.deficiency_unpriced, t.deficiency_cost_year)
            IS DISTINCT FROM (n.years, n.costs, n.unpriced, n.cost_year)
        $update$, kind, kind || '_id', joined, also, shown)
        USING organization, records, this_year;
END $$;
-- +goose StatementEnd

-- Of all rows that a statement wrote, the records that they are of are added up. A change that no sum depends on costs nothing.
-- +goose StatementBegin
CREATE FUNCTION sum_deficiencies() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    each record;
    sums CONSTANT text := 'SELECT organization_id, array_agg(DISTINCT site_id) FILTER (WHERE site_id IS NOT NULL) AS sites,
        array_agg(DISTINCT building_id) FILTER (WHERE building_id IS NOT NULL) AS buildings,
        array_agg(DISTINCT system_id) FILTER (WHERE system_id IS NOT NULL) AS systems,
        array_agg(DISTINCT asset_id) FILTER (WHERE asset_id IS NOT NULL) AS assets FROM (%s) s GROUP BY 1';
BEGIN
    FOR each IN EXECUTE format(sums, CASE TG_OP WHEN 'INSERT' THEN 'SELECT * FROM added' WHEN 'DELETE' THEN 'SELECT * FROM gone' ELSE
        'SELECT w.* FROM added n JOIN gone g USING (organization_id, id)
            CROSS JOIN LATERAL (SELECT n.organization_id, n.site_id, n.building_id, n.system_id, n.asset_id
                UNION ALL SELECT g.organization_id, g.site_id, g.building_id, g.system_id, g.asset_id) w
        WHERE (n.site_id, n.building_id, n.system_id, n.asset_id, n.status = ''void'', n.counts_as_deferred, n.action_year, n.estimated_cost, n.cost_year, n.found_on)
            IS DISTINCT FROM (g.site_id, g.building_id, g.system_id, g.asset_id, g.status = ''void'', g.counts_as_deferred, g.action_year, g.estimated_cost, g.cost_year, g.found_on)' END)
    LOOP
        PERFORM add_up_deficiencies('site', each.organization_id, each.sites);
        PERFORM add_up_deficiencies('building', each.organization_id, each.buildings);
        PERFORM add_up_deficiencies('system', each.organization_id, each.systems);
        PERFORM add_up_deficiencies('asset', each.organization_id, each.assets);
    END LOOP;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER deficiencies_added AFTER INSERT ON deficiency REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sum_deficiencies();
CREATE TRIGGER deficiencies_changed AFTER UPDATE ON deficiency REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sum_deficiencies();
CREATE TRIGGER deficiencies_gone AFTER DELETE ON deficiency REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION sum_deficiencies();
