-- One question (or several that were joined) and its answer.
CREATE TABLE turns (
    merchant_id       uuid NOT NULL,
    turn_id           uuid NOT NULL,
    thread_id         uuid NOT NULL,
    state             text NOT NULL CHECK (state IN ('queued', 'dispatched', 'done', 'failed')),
    -- Given at dispatch, so that an answer stands behind every question it answers.
    answer_sequence   bigint,
    dispatches        integer NOT NULL DEFAULT 0,
    -- Attempts that runtimes announced; each counts until its END.
    attempts          integer NOT NULL DEFAULT 0,
    -- Which attempts were counted: an announcement that comes twice counts once.
    attempt_ids       uuid[] NOT NULL DEFAULT '{}',
    -- The tenant config in force at dispatch.
    config_sequence   bigint NOT NULL,
    -- The attempt whose END was stored.
    stored_attempt    uuid,
    created_at        timestamptz NOT NULL DEFAULT now(),
    dispatched_at     timestamptz,
    -- Set when the request is known to be on the bus; after it the turn is overdue.
    deadline_at       timestamptz,
    closed_at         timestamptz,
    PRIMARY KEY (merchant_id, turn_id),
    FOREIGN KEY (merchant_id, thread_id) REFERENCES threads (merchant_id, thread_id)
);

-- A backstop: dispatching under the merchant's lock is what keeps these.
CREATE UNIQUE INDEX turns_one_dispatched ON turns (merchant_id, thread_id) WHERE state = 'dispatched';
CREATE UNIQUE INDEX turns_one_queued ON turns (merchant_id, thread_id) WHERE state = 'queued';
CREATE INDEX turns_queue ON turns (merchant_id, created_at) WHERE state = 'queued';
CREATE INDEX turns_dispatched ON turns (dispatched_at) WHERE state = 'dispatched';

CREATE TABLE messages (
    merchant_id uuid NOT NULL,
    -- An answer carries its turn's id: it cannot be stored twice.
    message_id  uuid NOT NULL,
    thread_id   uuid NOT NULL,
    turn_id     uuid,
    sequence    bigint NOT NULL,
    role        text NOT NULL CHECK (role IN ('human', 'ai', 'owner')),
    content     jsonb NOT NULL,
    sources     jsonb NOT NULL DEFAULT '[]',
    refused     boolean NOT NULL DEFAULT false,
    failed      boolean NOT NULL DEFAULT false,
    is_closing  boolean NOT NULL DEFAULT false,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (merchant_id, message_id),
    UNIQUE (merchant_id, thread_id, sequence),
    FOREIGN KEY (merchant_id, thread_id) REFERENCES threads (merchant_id, thread_id),
    FOREIGN KEY (merchant_id, turn_id) REFERENCES turns (merchant_id, turn_id)
);
CREATE INDEX messages_of_a_turn ON messages (merchant_id, turn_id, sequence);

-- What a retried request must meet again.
CREATE TABLE idempotency_keys (
    merchant_id uuid NOT NULL,
    visitor_id  uuid NOT NULL,
    route       text NOT NULL,
    key         text NOT NULL,
    body_hash   bytea NOT NULL,
    message_id  uuid NOT NULL,
    turn_id     uuid NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (merchant_id, visitor_id, route, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

ALTER TABLE turns ENABLE ROW LEVEL SECURITY;
ALTER TABLE turns FORCE ROW LEVEL SECURITY;
ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotency_keys FORCE ROW LEVEL SECURITY;

CREATE POLICY merchant ON turns USING (merchant_id = current_merchant());
CREATE POLICY merchant ON messages USING (merchant_id = current_merchant());
CREATE POLICY merchant ON idempotency_keys USING (merchant_id = current_merchant());

GRANT SELECT, INSERT, UPDATE ON turns, messages TO vitrine_api, vitrine_worker;
-- A key that has expired and is not deleted yet is written over.
GRANT SELECT, INSERT, UPDATE ON idempotency_keys TO vitrine_api;
GRANT SELECT, DELETE ON idempotency_keys TO vitrine_worker;
GRANT SELECT ON turns, messages TO vitrine_runtime;
