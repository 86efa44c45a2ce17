-- SPDX-License-Identifier: MIT
-- What a merged file has beside the tables of schema.sql.

CREATE TABLE node (                         -- one machine's part of the run
    id INTEGER PRIMARY KEY,                 -- in the order of the parts
    name TEXT NOT NULL UNIQUE,              -- a value of the axis `node`
    state TEXT NOT NULL CHECK (state IN ('done', 'partial', 'lost')),
    reason TEXT,                            -- why it is not done, or what it could not measure
    command TEXT,                           -- of its own file
    started TEXT,
    ended TEXT
) STRICT;

CREATE TABLE node_fact (                    -- of those tables of its own file
    node INTEGER NOT NULL REFERENCES node (id),
    area TEXT NOT NULL CHECK (area IN ('machine', 'environment', 'setting', 'build')),
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (node, area, key)
) STRICT, WITHOUT ROWID;
