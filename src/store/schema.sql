-- SPDX-License-Identifier: MIT
-- The results file: one database holds one run (doc/internals/schema.md). Raw samples only, no aggregates;
-- SI units; what a worker said is kept as it said it, so its numbers carry no CHECK.

PRAGMA application_id = 0x414d7472; -- "AMtr"
PRAGMA user_version = 5;

-- ---- what was measured on, and how ----

CREATE TABLE run (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    command TEXT NOT NULL,                  -- the command line as typed
    version TEXT NOT NULL,                  -- of archmeter
    started TEXT NOT NULL,                  -- ISO 8601, UTC
    ended TEXT,                             -- NULL while unfinished
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'interrupted', 'failed')),
    label TEXT,                             -- the user's own, --tag
    synthetic INTEGER NOT NULL CHECK (synthetic IN (0, 1)), -- read below a false root
    -- the settings, complete: resume goes on with these
    profile TEXT NOT NULL,
    seed TEXT NOT NULL,                     -- 64 bits, unsigned decimal
    min_launches INTEGER NOT NULL CHECK (min_launches >= 0),
    max_launches INTEGER NOT NULL CHECK (max_launches >= 0),
    target REAL NOT NULL,                   -- relative half-width at which a point is done
    budget_s REAL NOT NULL,                 -- 0: none
    launch_limit_s REAL NOT NULL,
    min_batch_ns INTEGER NOT NULL,
    max_point_ns INTEGER NOT NULL,
    warmup INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    extra INTEGER NOT NULL,
    drift_limit REAL NOT NULL,
    CHECK ((state = 'running') = (ended IS NULL))
) STRICT;

CREATE TABLE machine (
    seq INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE environment (
    seq INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE setting (                      -- what was asked for beside the columns of run: options
    seq INTEGER PRIMARY KEY,                -- kept for resume, meters, tuned values, the experiment
    key TEXT NOT NULL UNIQUE,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE build (
    seq INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE finding (                      -- what `doctor` said when the run began
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,                       -- e.g. 'freq.governor'
    area TEXT NOT NULL,
    level TEXT NOT NULL CHECK (level IN ('ok', 'warn', 'error', 'unknown')),
    value TEXT NOT NULL,
    effect TEXT,
    remedy TEXT
) STRICT;

-- ---- the plan ----

CREATE TABLE bench (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,                     -- 'mem.latency'
    version INTEGER NOT NULL CHECK (version >= 0), -- results compare only within one version
    worker TEXT NOT NULL,
    summary TEXT NOT NULL,
    UNIQUE (name, worker)
) STRICT;

CREATE TABLE axis (
    id INTEGER PRIMARY KEY,                 -- rises in the bench's order
    bench INTEGER NOT NULL REFERENCES bench (id),
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('int', 'size', 'real', 'name')),
    unit TEXT,
    UNIQUE (bench, name)
) STRICT;

CREATE TABLE metric (
    id INTEGER PRIMARY KEY,                 -- rises in the bench's order: the first is the primary
    bench INTEGER NOT NULL REFERENCES bench (id),
    name TEXT NOT NULL,
    unit TEXT NOT NULL,                     -- SI, unscaled
    better TEXT NOT NULL CHECK (better IN ('higher', 'lower')),
    rule TEXT NOT NULL,                     -- how the engine derives it from a sample; then what the
                                            -- bench states of its systematic uncertainty
    UNIQUE (bench, name)
) STRICT;

CREATE TABLE point (
    id INTEGER PRIMARY KEY,                 -- rises in the plan's order
    bench INTEGER NOT NULL REFERENCES bench (id),
    text TEXT NOT NULL,                     -- 'size=4096 pattern=random'
    stop_reason TEXT CHECK (stop_reason <> ''), -- why no more launches follow; NULL while open
    UNIQUE (bench, text)
) STRICT;

CREATE TABLE param (
    point INTEGER NOT NULL REFERENCES point (id),
    axis INTEGER NOT NULL REFERENCES axis (id),
    value ANY NOT NULL,                     -- INTEGER, REAL or TEXT after the axis's kind
    PRIMARY KEY (point, axis)
) STRICT, WITHOUT ROWID;

-- ---- what happened ----

CREATE TABLE launch (                       -- one worker process
    id INTEGER PRIMARY KEY,                 -- rises in time
    round INTEGER NOT NULL CHECK (round >= 0),
    seed TEXT NOT NULL,                     -- 64 bits, unsigned decimal
    worker TEXT NOT NULL,
    cpus TEXT NOT NULL,                     -- '0,1'
    environment TEXT,                       -- changed for it: 'OMP_PROC_BIND=close -OMP_WAIT_POLICY'
    pid INTEGER NOT NULL,
    started_ns INTEGER NOT NULL,            -- monotonic raw clock: spawn
    ended_ns INTEGER NOT NULL,              -- reaped
    wall_start INTEGER NOT NULL,            -- Unix time, s
    clock_overhead_ns INTEGER NOT NULL,
    clock_resolution_ns INTEGER NOT NULL,
    hz REAL,                                -- core clock at the start
    output TEXT,                            -- what it printed, bounded
    UNIQUE (id, round)
) STRICT;

CREATE TABLE surroundings (                 -- what else the machine did around a launch; NULL: unknown
    launch INTEGER PRIMARY KEY REFERENCES launch (id),
    load REAL,                              -- average of the last minute, when the launch began
    runnable REAL,                          -- threads of others: the fewer of before and after
    others REAL,                            -- CPU time of others per second, in CPUs
    steal REAL,                             -- CPU time stolen per second, in CPUs
    pressure_cpu REAL,                      -- part of the time in which a task waited for a CPU
    pressure_memory REAL,
    pressure_io REAL,
    labels INTEGER NOT NULL                 -- 1 others, 2 steal, 4 memory, 8 runnable; 0: quiet
) STRICT;

CREATE TABLE visit (                        -- one point in one launch
    id INTEGER PRIMARY KEY,
    launch INTEGER NOT NULL,
    point INTEGER NOT NULL REFERENCES point (id),
    round INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('ok', 'skip', 'fail')),
    bytes_read REAL,                        -- work of one iteration; NULL when it was not stated
    bytes_written REAL,
    flops REAL,
    ops REAL,
    residual REAL,                          -- against the reference; NULL when not verified
    UNIQUE (point, round),                  -- nothing is measured twice, whatever is resumed
    UNIQUE (point, launch),
    FOREIGN KEY (launch, round) REFERENCES launch (id, round)
) STRICT;

CREATE TABLE failure (                      -- why a visit is not ok: skips and failures
    visit INTEGER PRIMARY KEY REFERENCES visit (id),
    kind TEXT NOT NULL CHECK (kind <> ''),  -- 'skip', 'signal', 'exit', 'timeout', ...
    reason TEXT NOT NULL
) STRICT;

CREATE TABLE note (                         -- a worker's remark on one visit, for people
    visit INTEGER NOT NULL REFERENCES visit (id),
    key TEXT NOT NULL,                      -- e.g. 'compiler'
    value TEXT NOT NULL,
    PRIMARY KEY (visit, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE chosen (                       -- what a visit was done with
    visit INTEGER NOT NULL REFERENCES visit (id),
    name TEXT NOT NULL,                     -- an axis, or a name of the bench's own: 'device_kind'
    value TEXT NOT NULL,
    PRIMARY KEY (visit, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE proposed (                     -- what a tuner may try, as the bench said at a visit
    visit INTEGER NOT NULL REFERENCES visit (id),
    axis TEXT NOT NULL,
    value TEXT NOT NULL,                    -- values in the syntax of -p
    PRIMARY KEY (visit, axis)
) STRICT, WITHOUT ROWID;

CREATE TABLE attachment (                   -- a file that a worker made at a visit
    visit INTEGER NOT NULL REFERENCES visit (id),
    name TEXT NOT NULL,                     -- 'tracks'
    type TEXT NOT NULL,                     -- media type
    data BLOB NOT NULL,
    PRIMARY KEY (visit, name)
) STRICT;

CREATE TABLE sample (                       -- one timed batch
    visit INTEGER NOT NULL REFERENCES visit (id),
    seq INTEGER NOT NULL,
    iters INTEGER NOT NULL,
    t0_ns INTEGER NOT NULL,                 -- monotonic raw clock
    t1_ns INTEGER NOT NULL,
    elapsed_ns INTEGER NOT NULL,            -- t1 - t0, or by the bench's own clock
    hz_before REAL,                         -- core clock around the batch; 0: not measurable
    hz_after REAL,
    steal_ns INTEGER NOT NULL,
    switches INTEGER NOT NULL,
    labels INTEGER NOT NULL,                -- 1 steal, 2 context switch, 4 clock drift, 8 off CPU
    PRIMARY KEY (visit, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE off_cpu (                      -- of a batch that lacked a hundredth of its time or more
    visit INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    off_ns INTEGER NOT NULL,                -- in which the measuring thread had no CPU
    PRIMARY KEY (visit, seq),
    FOREIGN KEY (visit, seq) REFERENCES sample (visit, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE value (
    visit INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    metric INTEGER NOT NULL REFERENCES metric (id),
    value REAL,                             -- NULL: not a finite number
    PRIMARY KEY (visit, seq, metric),
    FOREIGN KEY (visit, seq) REFERENCES sample (visit, seq)
) STRICT, WITHOUT ROWID;

-- ---- seals: SHA-256 over what stands above (doc/internals/seals.md) ----

CREATE TABLE chain (                        -- launches sealed one after another
    id INTEGER PRIMARY KEY,
    node TEXT,                              -- of a merged file: whose launches; else NULL
    first INTEGER NOT NULL,                 -- its first launch; the ids of the others follow
    launches INTEGER NOT NULL,              -- how many
    start BLOB NOT NULL                     -- what the first launch's seal goes on from
) STRICT;

CREATE TABLE seal (                         -- over a launch and the seal of the one before it
    launch INTEGER PRIMARY KEY REFERENCES launch (id),
    digest BLOB NOT NULL
) STRICT;

CREATE TABLE sample_seal (                  -- over the samples and values of a visit
    visit INTEGER PRIMARY KEY REFERENCES visit (id),
    shown BLOB NOT NULL,                    -- labels, elapsed times, clocks, values
    rest BLOB NOT NULL                      -- the other columns of samples, time off the CPU
) STRICT;

CREATE TABLE table_seal (                   -- over a table that is not of launches
    name TEXT PRIMARY KEY,
    digest BLOB NOT NULL
) STRICT;

-- ---- for people who query by hand; archmeter itself reads the tables ----

CREATE VIEW samples AS
SELECT b.name AS bench, p.text AS point, v.launch, v.round, s.seq, m.name AS metric, m.unit,
       m.better, x.value, s.labels, s.iters, s.elapsed_ns, p.id AS point_id
FROM point p
JOIN bench b ON b.id = p.bench
JOIN visit v ON v.point = p.id AND v.state = 'ok'
JOIN sample s ON s.visit = v.id
JOIN value x ON x.visit = s.visit AND x.seq = s.seq
JOIN metric m ON m.id = x.metric;

CREATE VIEW params AS
SELECT b.name AS bench, p.text AS point, a.name AS axis, a.kind, a.unit, x.value, p.id AS point_id
FROM param x
JOIN axis a ON a.id = x.axis
JOIN point p ON p.id = x.point
JOIN bench b ON b.id = p.bench;

CREATE VIEW failures AS
SELECT b.name AS bench, p.text AS point, v.launch, v.round, v.state, f.kind, f.reason, l.worker,
       l.output, p.id AS point_id
FROM failure f
JOIN visit v ON v.id = f.visit
JOIN launch l ON l.id = v.launch
JOIN point p ON p.id = v.point
JOIN bench b ON b.id = p.bench;

CREATE VIEW choices AS
SELECT b.name AS bench, p.text AS point, v.launch, v.round, c.name, c.value, p.id AS point_id
FROM chosen c
JOIN visit v ON v.id = c.visit
JOIN point p ON p.id = v.point
JOIN bench b ON b.id = p.bench;

CREATE VIEW notes AS
SELECT b.name AS bench, p.text AS point, v.launch, v.round, n.key, n.value, p.id AS point_id
FROM note n
JOIN visit v ON v.id = n.visit
JOIN point p ON p.id = v.point
JOIN bench b ON b.id = p.bench;
