-- Obligations to retire capital assets: what will have to be paid one day, discounted, and what that adds to their cost.

-- +goose Up

CREATE TABLE retirement_obligation (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    position        bigint      NOT NULL,
    external_id     text        COLLATE "C",
    custom_fields   jsonb       NOT NULL DEFAULT '{}',
    tags            jsonb       NOT NULL DEFAULT '[]',
    version         integer     NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    created_by      jsonb       NOT NULL,
    updated_by      jsonb       NOT NULL,

    name              text          COLLATE "und-x-icu" NOT NULL,
    capital_asset_id  uuid          NOT NULL,
    kind              text          COLLATE "C" NOT NULL,
    estimated_cost    numeric(15,2) NOT NULL,
    recognized_on     date          NOT NULL,
    settlement_on     date          NOT NULL,
    discount_rate_pct numeric(6,4)  NOT NULL,
    opening           boolean       NOT NULL,
    notes             text,
    state             text          COLLATE "C" NOT NULL,
    settled_on        date,
    paid              numeric(15,2),
    liability         numeric(15,2) NOT NULL, -- when it was recognized

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT retirement_obligation_capital_asset_id_fkey FOREIGN KEY (organization_id, capital_asset_id) REFERENCES capital_asset (organization_id, id)
);
SELECT isolate('retirement_obligation');
CREATE UNIQUE INDEX retirement_obligation_position ON retirement_obligation (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX retirement_obligation_external_id_key ON retirement_obligation (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX retirement_obligation_by_updated_at ON retirement_obligation (organization_id, updated_at, id);
CREATE INDEX retirement_obligation_capital_asset ON retirement_obligation (organization_id, capital_asset_id);
SELECT keep_terms('retirement_obligation', 'retirement_obligations');
SELECT keep_custom_fields('retirement_obligation', 'retirement_obligations');

-- Entries of an obligation: their amounts sum to its liability. Its recognition and revisions say what they follow from.
ALTER TABLE transaction
    ADD COLUMN obligation_id     uuid,
    ADD COLUMN estimated_cost    numeric(15,2),
    ADD COLUMN settlement_on     date,
    ADD COLUMN discount_rate_pct numeric(6,4);
CREATE INDEX transaction_obligation ON transaction (organization_id, obligation_id) WHERE obligation_id IS NOT NULL;

-- The obligation whose cost a layer is.
ALTER TABLE layer ADD COLUMN obligation_id uuid;

-- months_between counts the whole months from one day to a later one.
-- +goose StatementBegin
CREATE FUNCTION months_between(first date, until date) RETURNS integer
    LANGUAGE sql IMMUTABLE AS $$
    SELECT (12 * (extract(year FROM until) - extract(year FROM first)) + extract(month FROM until) - extract(month FROM first))::integer
        - CASE WHEN extract(day FROM until) < extract(day FROM first) THEN 1 ELSE 0 END
$$;
-- +goose StatementEnd

-- growth is (1 + rate ÷ 100)^(months ÷ 12), with forty decimals: an amount has fifteen digits.
-- +goose StatementBegin
CREATE FUNCTION growth(rate_pct numeric, months integer) RETURNS numeric
    LANGUAGE sql IMMUTABLE AS $$
    SELECT power((1 + rate_pct / 100)::numeric(50,40), months::numeric(50,40) / 12)
$$;
-- +goose StatementEnd

-- present_value is what settles an obligation on a day, discounted to an earlier one, to the cent.
-- +goose StatementBegin
CREATE FUNCTION present_value(estimated_cost numeric, rate_pct numeric, on_day date, settlement_on date) RETURNS numeric
    LANGUAGE sql IMMUTABLE AS $$
    SELECT round(estimated_cost / growth(rate_pct, months_between(on_day, settlement_on)), 2)
$$;
-- +goose StatementEnd

-- accretion is by how much a liability grows from a day to another, by whole months since it was recognized or revised. It has become the
-- estimated cost on the day of the settlement, and grows no more.
-- +goose StatementBegin
CREATE FUNCTION accretion(liability numeric, estimated_cost numeric, rate_pct numeric, since date, settlement_on date, first date, until date) RETURNS numeric
    LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN m.before = m.total THEN 0 WHEN m.after = m.total THEN estimated_cost - liability ELSE round(liability * (growth(rate_pct, m.after - m.before) - 1), 2) END
    FROM (SELECT t.total, least(months_between(since, greatest(since, first)), t.total) AS before, least(months_between(since, until), t.total) AS after
        FROM (SELECT months_between(since, settlement_on) AS total) t) m
$$;
-- +goose StatementEnd
