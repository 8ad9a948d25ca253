-- Rows of the merchant named by the transaction, and no others. A transaction that names none fails here: a missing
-- setting raises, and so does the empty text that PostgreSQL leaves behind after a commit.
CREATE FUNCTION current_merchant() RETURNS uuid
    LANGUAGE sql STABLE
    RETURN current_setting('vitrine.merchant_id')::uuid;

-- One row per merchant that was ever written to: the lock that makes accepting and dispatching serial, and the
-- merchant's message rate.
CREATE TABLE merchants (
    merchant_id         uuid PRIMARY KEY,
    -- Theoretical arrival time of the generic cell rate algorithm over accepted messages.
    messages_allowed_at timestamptz NOT NULL DEFAULT '-infinity',
    created_at          timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE leads (
    merchant_id     uuid NOT NULL,
    lead_id         uuid NOT NULL,
    visitor_id      uuid NOT NULL,
    chatbot         text NOT NULL,
    agent_namespace text NOT NULL,
    name            text,
    email           text,
    phone           text,
    -- What the shop claims about its customer; unproved.
    leadable_id     text,
    leadable_type   text,
    -- Which consent text the shopper saw, and when.
    consent_version text,
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (merchant_id, lead_id)
);

CREATE TABLE threads (
    merchant_id     uuid NOT NULL,
    thread_id       uuid NOT NULL,
    visitor_id      uuid NOT NULL,
    chatbot         text NOT NULL,
    agent_namespace text NOT NULL,
    lead_id         uuid,
    state           text NOT NULL DEFAULT 'bot' CHECK (state IN ('bot', 'waiting', 'owner', 'closed')),
    -- The highest sequence given to a message of the thread.
    last_sequence   bigint NOT NULL DEFAULT 0,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (merchant_id, thread_id),
    FOREIGN KEY (merchant_id, lead_id) REFERENCES leads (merchant_id, lead_id)
);

ALTER TABLE merchants ENABLE ROW LEVEL SECURITY;
ALTER TABLE merchants FORCE ROW LEVEL SECURITY;
ALTER TABLE leads ENABLE ROW LEVEL SECURITY;
ALTER TABLE leads FORCE ROW LEVEL SECURITY;
ALTER TABLE threads ENABLE ROW LEVEL SECURITY;
ALTER TABLE threads FORCE ROW LEVEL SECURITY;

CREATE POLICY merchant ON merchants USING (merchant_id = current_merchant());
CREATE POLICY merchant ON leads USING (merchant_id = current_merchant());
CREATE POLICY merchant ON threads USING (merchant_id = current_merchant());

GRANT SELECT, INSERT, UPDATE ON merchants, leads, threads TO vitrine_api;
GRANT SELECT, INSERT, UPDATE ON merchants, threads TO vitrine_worker;
GRANT SELECT ON merchants, threads TO vitrine_runtime;

-- Services are ready only when the schema is as new as they need.
GRANT SELECT ON _sqlx_migrations TO vitrine_api, vitrine_worker, vitrine_runtime;
