-- Segments have the sums of their deficiencies, so that figures of today read no deficiency one by one.

-- +goose Up

-- What these columns mean is written in package deficiencies.
ALTER TABLE segment
    ADD COLUMN deficiency_years     integer[],
    ADD COLUMN deficiency_costs     numeric[],
    ADD COLUMN deficiency_unpriced  integer[],
    ADD COLUMN deficiency_cost_year integer;

WITH counted AS (
    SELECT d.organization_id, d.segment_id, CASE WHEN d.counts_as_deferred THEN coalesce(d.action_year, 0) ELSE 0 END AS year,
        coalesce(sum(d.estimated_cost) FILTER (WHERE d.counts_as_deferred), 0) AS cost,
        count(*) FILTER (WHERE d.counts_as_deferred AND d.estimated_cost IS NULL) AS unpriced,
        min(d.cost_year) FILTER (WHERE d.counts_as_deferred AND d.estimated_cost IS NOT NULL) AS first,
        max(d.cost_year) FILTER (WHERE d.counts_as_deferred AND d.estimated_cost IS NOT NULL) AS last
    FROM deficiency d WHERE d.status <> 'void' GROUP BY 1, 2, 3
), running AS (
    SELECT organization_id, segment_id, year, sum(cost) OVER earlier AS cost, (sum(unpriced) OVER earlier)::integer AS unpriced, first, last
    FROM counted WINDOW earlier AS (PARTITION BY organization_id, segment_id ORDER BY year)
), summed AS (
    SELECT organization_id, segment_id, 0 || array_agg(year ORDER BY year) FILTER (WHERE year > 0) AS years,
        coalesce(max(cost) FILTER (WHERE year = 0), 0) || array_agg(cost ORDER BY year) FILTER (WHERE year > 0) AS costs,
        coalesce(max(unpriced) FILTER (WHERE year = 0), 0) || array_agg(unpriced ORDER BY year) FILTER (WHERE year > 0) AS unpriced,
        CASE WHEN min(first) = max(last) THEN min(first) WHEN min(first) IS NOT NULL THEN 0 END AS cost_year
    FROM running GROUP BY 1, 2
)
UPDATE segment t SET deficiency_years = s.years, deficiency_costs = s.costs, deficiency_unpriced = s.unpriced, deficiency_cost_year = s.cost_year
FROM summed s WHERE s.organization_id = t.organization_id AND s.segment_id = t.id;

-- +goose Down
ALTER TABLE segment DROP COLUMN deficiency_years, DROP COLUMN deficiency_costs, DROP COLUMN deficiency_unpriced, DROP COLUMN deficiency_cost_year;
