CREATE INDEX book_by_natural_title ON book (organization_id, title COLLATE "natural", id);
