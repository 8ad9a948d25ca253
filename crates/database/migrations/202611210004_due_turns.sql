-- Work that is due, over all merchants: ids only, for the sweeper, which then works on each of them inside its
-- merchant.
CREATE POLICY reader ON turns FOR SELECT TO vitrine_reader USING (true);
CREATE POLICY reader ON idempotency_keys FOR SELECT TO vitrine_reader USING (true);
GRANT SELECT (merchant_id, turn_id, state, created_at, dispatched_at, deadline_at) ON turns TO vitrine_reader;
GRANT SELECT (merchant_id, created_at) ON idempotency_keys TO vitrine_reader;

-- Due is a dispatched turn whose deadline has passed. One whose request still waits in the outbox (Kafka away) has no
-- deadline; it is due only after `publish_wait`.
CREATE FUNCTION due_turns(publish_wait interval, row_limit integer)
    RETURNS TABLE (merchant_id uuid, turn_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT turns.merchant_id, turns.turn_id
      FROM public.turns
     WHERE turns.state = 'dispatched'
       AND (turns.deadline_at < now() OR (turns.deadline_at IS NULL AND turns.dispatched_at < now() - publish_wait))
     ORDER BY turns.dispatched_at
     LIMIT row_limit;
END;

-- Merchants with queued turns, in pages by id: a cap that was raised lets some of them go without a turn having closed.
CREATE FUNCTION merchants_with_queued_turns(after uuid, older_than interval, row_limit integer)
    RETURNS TABLE (merchant_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT DISTINCT turns.merchant_id
      FROM public.turns
     WHERE turns.state = 'queued'
       AND turns.merchant_id > after
       AND turns.created_at < now() - older_than
     ORDER BY turns.merchant_id
     LIMIT row_limit;
END;

-- Merchants among the oldest `row_limit` expired idempotency keys.
CREATE FUNCTION merchants_with_expired_keys(lifetime interval, row_limit integer)
    RETURNS TABLE (merchant_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT DISTINCT oldest.merchant_id
      FROM (
        SELECT idempotency_keys.merchant_id
          FROM public.idempotency_keys
         WHERE idempotency_keys.created_at < now() - lifetime
         ORDER BY idempotency_keys.created_at
         LIMIT row_limit
      ) AS oldest;
END;

REVOKE ALL ON FUNCTION due_turns(interval, integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION merchants_with_queued_turns(uuid, interval, integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION merchants_with_expired_keys(interval, integer) FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO vitrine_reader;
ALTER FUNCTION due_turns(interval, integer) OWNER TO vitrine_reader;
ALTER FUNCTION merchants_with_queued_turns(uuid, interval, integer) OWNER TO vitrine_reader;
ALTER FUNCTION merchants_with_expired_keys(interval, integer) OWNER TO vitrine_reader;
REVOKE CREATE ON SCHEMA public FROM vitrine_reader;
GRANT EXECUTE ON FUNCTION due_turns(interval, integer) TO vitrine_worker;
GRANT EXECUTE ON FUNCTION merchants_with_queued_turns(uuid, interval, integer) TO vitrine_worker;
GRANT EXECUTE ON FUNCTION merchants_with_expired_keys(interval, integer) TO vitrine_worker;
