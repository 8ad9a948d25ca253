-- What has to go on the bus, written in the transaction that made it so. Ids only.
CREATE TABLE outbox (
    merchant_id uuid NOT NULL,
    outbox_id   bigint GENERATED ALWAYS AS IDENTITY,
    kind        text NOT NULL CHECK (kind IN ('chat_requested', 'stored')),
    turn_id     uuid NOT NULL,
    thread_id   uuid NOT NULL,
    -- Which dispatch of the turn a request stands for.
    dispatch    integer CHECK ((dispatch IS NOT NULL) = (kind = 'chat_requested')),
    -- The rest of the event's body, without what is known only at publishing (id, time, deadline).
    body        jsonb NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (merchant_id, outbox_id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
-- Publishing and sweeping work in the order of writing, over all merchants.
CREATE INDEX outbox_by_id ON outbox (outbox_id);

ALTER TABLE outbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE outbox FORCE ROW LEVEL SECURITY;
CREATE POLICY merchant ON outbox USING (merchant_id = current_merchant());
-- Any worker sweeps any merchant's rows: they hold ids only.
CREATE POLICY worker ON outbox FOR SELECT TO vitrine_worker USING (true);
CREATE POLICY worker_locks ON outbox FOR UPDATE TO vitrine_worker USING (true);
CREATE POLICY publisher ON outbox TO vitrine_publisher USING (true);

GRANT SELECT, INSERT ON outbox TO vitrine_api;
-- Locking a row needs the right to update one of its columns; nobody does update it.
GRANT SELECT, INSERT, UPDATE (created_at) ON outbox TO vitrine_worker;
GRANT SELECT, UPDATE (created_at), DELETE ON outbox TO vitrine_publisher;

-- Marks rows as published: deletes them, and starts the deadline of the turns whose requests they were. A row that
-- another worker holds is left to that worker, so that nobody waits here. A request of an earlier dispatch starts
-- nothing.
CREATE POLICY publisher ON turns TO vitrine_publisher USING (true);
GRANT SELECT (merchant_id, turn_id, state, dispatches, deadline_at), UPDATE (deadline_at)
    ON turns TO vitrine_publisher;

CREATE FUNCTION acknowledge_published(outbox_ids bigint[], turn_deadline interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH held AS (
        SELECT merchant_id, outbox_id
          FROM public.outbox
         WHERE outbox_id = ANY (outbox_ids)
         ORDER BY outbox_id
           FOR UPDATE SKIP LOCKED
    ), published AS (
        DELETE FROM public.outbox
         USING held
         WHERE outbox.merchant_id = held.merchant_id
           AND outbox.outbox_id = held.outbox_id
        RETURNING outbox.merchant_id, outbox.turn_id, outbox.dispatch
    ), started AS (
        UPDATE public.turns
           SET deadline_at = clock_timestamp() + turn_deadline
          FROM published
         WHERE turns.merchant_id = published.merchant_id
           AND turns.turn_id = published.turn_id
           AND turns.dispatches = published.dispatch
           AND turns.state = 'dispatched'
        RETURNING 1
    )
    SELECT count(*) FROM published;
END;

-- For a bus that forgets at a restart: turns whose requests were on it are overdue at once.
CREATE FUNCTION expire_published_turns() RETURNS bigint
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH expired AS (
        UPDATE public.turns
           SET deadline_at = '-infinity'
         WHERE turns.state = 'dispatched'
           AND turns.deadline_at IS NOT NULL
        RETURNING 1
    )
    SELECT count(*) FROM expired;
END;

REVOKE ALL ON FUNCTION acknowledge_published(bigint[], interval) FROM PUBLIC;
REVOKE ALL ON FUNCTION expire_published_turns() FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO vitrine_publisher;
ALTER FUNCTION acknowledge_published(bigint[], interval) OWNER TO vitrine_publisher;
ALTER FUNCTION expire_published_turns() OWNER TO vitrine_publisher;
REVOKE CREATE ON SCHEMA public FROM vitrine_publisher;
GRANT EXECUTE ON FUNCTION acknowledge_published(bigint[], interval) TO vitrine_worker;
GRANT EXECUTE ON FUNCTION expire_published_turns() TO vitrine_worker;
