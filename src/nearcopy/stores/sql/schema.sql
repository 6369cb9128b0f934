CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL){keyed};
INSERT INTO settings VALUES ('numbers', '0');
CREATE TABLE blobs (name TEXT PRIMARY KEY, value {binary} NOT NULL){keyed};
CREATE TABLE articles (
    number {integer} PRIMARY KEY,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    text {binary} NOT NULL,
    html {integer} NOT NULL,
    url TEXT,
    canonical_url TEXT,
    source TEXT,
    published {integer},
    seen {integer},
    language TEXT,
    tier {integer},
    run {integer} NOT NULL,
    deleted {integer} NOT NULL DEFAULT 0
){by_number};
{unique_ids};
CREATE INDEX articles_seen ON articles (seen);
CREATE INDEX articles_deleted_seen ON articles (deleted, seen);
CREATE INDEX articles_published ON articles (published);
CREATE TABLE revisions (
    id {name} NOT NULL,
    number {integer} NOT NULL,
    title TEXT NOT NULL,
    text {binary} NOT NULL,
    html {integer} NOT NULL,
    url TEXT,
    canonical_url TEXT,
    source TEXT,
    published {integer},
    seen {integer},
    language TEXT,
    tier {integer},
    PRIMARY KEY (id, number)
){keyed};
CREATE TABLE fingerprints (
    number {integer} PRIMARY KEY,
    day_partition {integer} NOT NULL,
    words {integer} NOT NULL,
    digest {binary},
    simhash {binary},
    minhash {binary},
    details {binary} NOT NULL,
    keys {binary},
    computed_at {seconds}
){by_number};
CREATE INDEX fingerprints_partition ON fingerprints (day_partition);
CREATE TABLE partition_days (
    day {integer},
    day_partition {integer},
    PRIMARY KEY (day, day_partition)
){keyed};
CREATE TABLE arrivals (number {integer} PRIMARY KEY, day {integer} NOT NULL, source TEXT);
CREATE TABLE edges (number {integer} PRIMARY KEY, packed {binary} NOT NULL){by_number};
CREATE TABLE edge_ends (
    number {integer} NOT NULL,
    later {integer} NOT NULL,
    packed {binary} NOT NULL,
    PRIMARY KEY (number, later)
){by_later}{keyed};
CREATE TABLE stories (id {name} PRIMARY KEY, why TEXT NOT NULL){keyed};
CREATE TABLE redirects (story {name} PRIMARY KEY, to_story TEXT NOT NULL){keyed};
CREATE TABLE members (
    number {integer} PRIMARY KEY,
    story {name} NOT NULL,
    place {integer} NOT NULL,
    relation TEXT,
    source TEXT,
    duplicate_of TEXT,
    details {binary} NOT NULL
);
CREATE INDEX members_story ON members (story);
CREATE TABLE feedback (
    a {name} NOT NULL,
    b {name} NOT NULL,
    same {integer} NOT NULL,
    relation TEXT NOT NULL,
    note TEXT NOT NULL,
    given_at {integer} NOT NULL,
    predicted_relation TEXT NOT NULL,
    predicted_rule TEXT NOT NULL,
    predicted_confidence {real} NOT NULL,
    predicted_duplicate {integer} NOT NULL,
    predicted_event_score {real} NOT NULL,
    predicted_overlap {real},
    evidence TEXT NOT NULL,
    PRIMARY KEY (a, b)
){keyed};
CREATE INDEX feedback_b ON feedback (b);
CREATE TABLE actions (number {integer} PRIMARY KEY, keeps {name}, action TEXT NOT NULL);
CREATE INDEX actions_keeps ON actions (keeps) WHERE keeps IS NOT NULL;
CREATE TABLE latencies (
    day {integer} NOT NULL,
    operation TEXT NOT NULL,
    bucket {integer} NOT NULL,
    count {integer} NOT NULL,
    PRIMARY KEY (day, operation, bucket)
){keyed};
CREATE VIEW article_fingerprints AS
SELECT articles.id AS content_id, simhash, minhash, {computed_at}
FROM fingerprints JOIN articles USING (number)
