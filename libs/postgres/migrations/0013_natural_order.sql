-- Names, codes and numbers in the order in which people read them: Room 1, Room 2, Room 10. In every schema, because a service's role sees
-- its own alone.

-- +goose Up

CREATE COLLATION "natural" (provider = icu, locale = 'und-u-kn');
