-- SPDX-License-Identifier: MIT
-- A file of schema version 2, seen as one of version 3 (doc/internals/schema.md): views that take the place
-- of tables. A temporary view is found before a table of that name, so that the statements of the
-- store read either version; upgrading copies the views' rows. "main" is replaced by the name of
-- the attached file when parts are merged.

CREATE TEMP VIEW chosen AS
SELECT n.visit, n.key AS name, n.value
FROM main.note n
WHERE n.key IN ('device_kind', 'winner') OR EXISTS (
    SELECT 1 FROM main.visit v
    JOIN main.point p ON p.id = v.point
    JOIN main.axis a ON a.bench = p.bench
    WHERE v.id = n.visit AND a.name = n.key);

CREATE TEMP VIEW proposed AS
SELECT n.visit, substr(n.key, 6) AS axis, n.value
FROM main.note n
WHERE n.key GLOB 'tune_*';

CREATE TEMP VIEW attachment AS
SELECT t.visit, 'tracks' AS name, 'text/x-tracks' AS type,
       CAST(t.value || char(10) || coalesce((
           SELECT group_concat(replace(ways, '; ', char(10)), char(10))
           FROM (SELECT w.value AS ways FROM main.note w
                 WHERE w.visit = t.visit AND w.key GLOB 'tracks_[0-9]*'
                 ORDER BY length(w.key), w.key)), '') AS BLOB) AS data
FROM main.note t
WHERE t.key = 'tracks';

CREATE TEMP VIEW note AS
SELECT n.visit, n.key, n.value
FROM main.note n
WHERE n.key <> 'tracks' AND n.key NOT GLOB 'tracks_[0-9]*' AND n.key NOT GLOB 'tune_*'
    AND NOT EXISTS (SELECT 1 FROM temp.chosen c WHERE c.visit = n.visit AND c.name = n.key);

CREATE TEMP VIEW setting AS
SELECT e.seq, e.key, e.value
FROM main.environment e
WHERE e.key GLOB 'option.*' OR e.key GLOB 'experiment.*' OR e.key GLOB 'tuning.*'
    OR e.key GLOB 'cluster.*' OR e.key GLOB 'energy.meter.*'
    OR e.key IN ('energy.process', 'energy.left_out');

CREATE TEMP VIEW environment AS
SELECT e.seq, e.key, e.value
FROM main.environment e
WHERE e.seq NOT IN (SELECT seq FROM temp.setting);
