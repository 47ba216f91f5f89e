-- What the segments of a network add up to, so that a list of networks need not read all segments.

-- +goose Up

-- Each statement that changes segments adds a row per network with what it changed; nobody waits for anybody else. The sum
-- of the rows is exact in the reader's snapshot. Of segments that are planned, abandoned or removed nothing is counted,
-- as figures.Counts has it; a test holds the two together.
CREATE TABLE network_total (
    organization_id  uuid    NOT NULL,
    network_id       uuid    NOT NULL,
    id               bigint  GENERATED ALWAYS AS IDENTITY,
    segments         bigint  NOT NULL,
    length_m         numeric NOT NULL,
    lane_m           numeric NOT NULL,
    laned            bigint  NOT NULL, -- segments whose length and lanes are known
    replacement_cost numeric NOT NULL,
    PRIMARY KEY (organization_id, network_id, id),
    CONSTRAINT network_total_network_id_fkey FOREIGN KEY (organization_id, network_id) REFERENCES network (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('network_total');

-- +goose StatementBegin
CREATE FUNCTION count_segments() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    organizations uuid[];
    networks      uuid[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        WITH kept AS (
            INSERT INTO network_total (organization_id, network_id, segments, length_m, lane_m, laned, replacement_cost)
            SELECT s.organization_id, s.network_id, count(*), coalesce(sum(s.length_m::numeric), 0), coalesce(sum(s.length_m::numeric * s.lanes), 0),
                count(s.length_m * s.lanes), coalesce(sum(s.replacement_cost), 0)
            FROM added s WHERE s.status NOT IN ('planned', 'abandoned', 'removed') GROUP BY 1, 2
            RETURNING organization_id, network_id
        ) SELECT array_agg(DISTINCT organization_id), array_agg(network_id) FROM kept INTO organizations, networks;
    ELSIF TG_OP = 'DELETE' THEN
        WITH kept AS (
            INSERT INTO network_total (organization_id, network_id, segments, length_m, lane_m, laned, replacement_cost)
            SELECT s.organization_id, s.network_id, -count(*), -coalesce(sum(s.length_m::numeric), 0), -coalesce(sum(s.length_m::numeric * s.lanes), 0),
                -count(s.length_m * s.lanes), -coalesce(sum(s.replacement_cost), 0)
            FROM gone s WHERE s.status NOT IN ('planned', 'abandoned', 'removed') GROUP BY 1, 2
            RETURNING organization_id, network_id
        ) SELECT array_agg(DISTINCT organization_id), array_agg(network_id) FROM kept INTO organizations, networks;
    ELSE
        WITH kept AS (
            INSERT INTO network_total (organization_id, network_id, segments, length_m, lane_m, laned, replacement_cost)
            SELECT s.organization_id, s.network_id, sum(s.sign), coalesce(sum(s.sign * s.length_m::numeric), 0), coalesce(sum(s.sign * s.length_m::numeric * s.lanes), 0),
                coalesce(sum(s.sign) FILTER (WHERE s.length_m * s.lanes IS NOT NULL), 0), coalesce(sum(s.sign * s.replacement_cost), 0)
            FROM (
                SELECT 1 AS sign, organization_id, network_id, status, length_m, lanes, replacement_cost FROM added
                UNION ALL
                SELECT -1, organization_id, network_id, status, length_m, lanes, replacement_cost FROM gone
            ) s WHERE s.status NOT IN ('planned', 'abandoned', 'removed') GROUP BY 1, 2
            HAVING (sum(s.sign), coalesce(sum(s.sign * s.length_m::numeric), 0), coalesce(sum(s.sign * s.length_m::numeric * s.lanes), 0),
                coalesce(sum(s.sign) FILTER (WHERE s.length_m * s.lanes IS NOT NULL), 0), coalesce(sum(s.sign * s.replacement_cost), 0)) <> (0, 0, 0, 0, 0)
            RETURNING organization_id, network_id
        ) SELECT array_agg(DISTINCT organization_id), array_agg(network_id) FROM kept INTO organizations, networks;
    END IF;
    -- Many rows of a network become one. A row that somebody else is making into one is left to them.
    WITH crowded AS (
        SELECT organization_id, network_id FROM network_total
        WHERE organization_id = ANY(organizations) AND network_id = ANY(networks) GROUP BY 1, 2 HAVING count(*) > 64
    ), free AS (
        SELECT t.organization_id, t.network_id, t.id FROM network_total t JOIN crowded USING (organization_id, network_id) FOR UPDATE OF t SKIP LOCKED
    ), old AS (
        DELETE FROM network_total t USING free f
        WHERE t.organization_id = f.organization_id AND t.network_id = f.network_id AND t.id = f.id RETURNING t.*
    )
    INSERT INTO network_total (organization_id, network_id, segments, length_m, lane_m, laned, replacement_cost)
    SELECT organization_id, network_id, sum(segments), sum(length_m), sum(lane_m), sum(laned), sum(replacement_cost) FROM old GROUP BY 1, 2;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER segment_added AFTER INSERT ON segment REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_segments();
CREATE TRIGGER segment_changed AFTER UPDATE ON segment REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_segments();
CREATE TRIGGER segment_gone AFTER DELETE ON segment REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_segments();
