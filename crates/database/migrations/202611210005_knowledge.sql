-- Both are trusted extensions: the owner of the database may make them.
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;

-- What a merchant gave: questions, documents, products.
CREATE TABLE knowledge_items (
    merchant_id  uuid NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('faq', 'document', 'product')),
    external_id  text NOT NULL,
    title        text NOT NULL,
    language     text NOT NULL,
    url          text,
    content      jsonb NOT NULL,
    -- Of the content and of the rules it was indexed by: an import writes only what differs.
    content_hash bytea NOT NULL,
    updated_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (merchant_id, kind, external_id)
);

-- Items cut into pieces, with the terms they are found by.
CREATE TABLE passages (
    merchant_id uuid NOT NULL,
    kind        text NOT NULL,
    external_id text NOT NULL,
    position    integer NOT NULL,
    language    text NOT NULL,
    title       text NOT NULL,
    heading     text,
    url         text,
    text        text NOT NULL,
    -- Stems and concepts of title, heading and text.
    terms       text[] NOT NULL,
    PRIMARY KEY (merchant_id, kind, external_id, position),
    FOREIGN KEY (merchant_id, kind, external_id)
        REFERENCES knowledge_items (merchant_id, kind, external_id) ON DELETE CASCADE
);
-- An import changes many rows at once; a pending list would be searched by every question until the next vacuum.
CREATE INDEX passages_terms ON passages USING gin (merchant_id, terms) WITH (fastupdate = off);

-- The words of a merchant's passages: which term each is found by, and in how many passages that term stands.
CREATE TABLE vocabulary (
    merchant_id uuid NOT NULL,
    -- A language's code, or 'und' for concepts, which belong to none.
    language    text NOT NULL,
    word        text NOT NULL,
    term        text NOT NULL,
    passages    integer NOT NULL,
    PRIMARY KEY (merchant_id, language, word)
);
CREATE INDEX vocabulary_words ON vocabulary (merchant_id, word);
CREATE INDEX vocabulary_terms ON vocabulary (merchant_id, term);
CREATE INDEX vocabulary_similar ON vocabulary USING gin (merchant_id, word gin_trgm_ops) WITH (fastupdate = off);

-- What the last import left, in figures.
CREATE TABLE knowledge_summaries (
    merchant_id uuid PRIMARY KEY,
    items       integer NOT NULL,
    passages    integer NOT NULL,
    -- Languages in which there are passages.
    languages   text[] NOT NULL,
    imported_at timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE knowledge_items ENABLE ROW LEVEL SECURITY;
ALTER TABLE knowledge_items FORCE ROW LEVEL SECURITY;
ALTER TABLE passages ENABLE ROW LEVEL SECURITY;
ALTER TABLE passages FORCE ROW LEVEL SECURITY;
ALTER TABLE vocabulary ENABLE ROW LEVEL SECURITY;
ALTER TABLE vocabulary FORCE ROW LEVEL SECURITY;
ALTER TABLE knowledge_summaries ENABLE ROW LEVEL SECURITY;
ALTER TABLE knowledge_summaries FORCE ROW LEVEL SECURITY;

CREATE POLICY merchant ON knowledge_items USING (merchant_id = current_merchant());
CREATE POLICY merchant ON passages USING (merchant_id = current_merchant());
CREATE POLICY merchant ON vocabulary USING (merchant_id = current_merchant());
CREATE POLICY merchant ON knowledge_summaries USING (merchant_id = current_merchant());

GRANT SELECT, INSERT, UPDATE, DELETE ON knowledge_items, passages, vocabulary, knowledge_summaries TO vitrine_api;
GRANT SELECT ON knowledge_items, passages, vocabulary, knowledge_summaries TO vitrine_runtime;
