-- Assets have an event when their warranty is about to end, and when the year of their renewal begins.

-- +goose Up

-- Of which day the event was last sent (package occasions).
CREATE TABLE occasion (
    organization_id uuid NOT NULL,
    event           text COLLATE "C" NOT NULL,
    record_id       uuid NOT NULL,
    day             date NOT NULL,
    PRIMARY KEY (organization_id, event, record_id),
    FOREIGN KEY (organization_id, record_id) REFERENCES asset (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('occasion');
CREATE INDEX occasion_record ON occasion (organization_id, record_id);

-- Lists have the years as facets; who looks for what is due reads one of them.
CREATE INDEX asset_renewal ON asset (organization_id, planned_renewal_year) WHERE planned_renewal_year IS NOT NULL;

-- What has come when this comes is no news. A day is left for organizations where it is still yesterday.
INSERT INTO occasion SELECT organization_id, 'asset.warranty_ending', id, warranty_expires_on FROM asset
WHERE warranty_expires_on BETWEEN CURRENT_DATE - 1 AND CURRENT_DATE + 88;
INSERT INTO occasion SELECT organization_id, 'asset.renewal_due', id, make_date(planned_renewal_year, 1, 1) FROM asset
WHERE planned_renewal_year = extract(year FROM CURRENT_DATE - 1)::integer;
