-- Searching is done by functions that row-level security does not bind: the operators of full text and trigrams are
-- not leakproof, so under it their indexes would not be used. The merchant is the transaction's own; without one
-- current_merchant() fails.
CREATE POLICY reader ON passages FOR SELECT TO vitrine_reader USING (true);
CREATE POLICY reader ON vocabulary FOR SELECT TO vitrine_reader USING (true);
GRANT SELECT ON passages, vocabulary TO vitrine_reader;

-- The passages that hold the heaviest of the asked terms.
CREATE FUNCTION search_passages(asked_terms text[], asked_weights real[], row_limit integer)
    RETURNS TABLE (
        kind text, external_id text, "position" integer, language text, title text, heading text, url text, text text,
        terms text[]
    )
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT passages.kind, passages.external_id, passages.position, passages.language, passages.title,
           passages.heading, passages.url, passages.text, passages.terms
      FROM (
            SELECT found.kind, found.external_id, found.position, sum(asked.weight) AS weight
              FROM unnest(asked_terms, asked_weights) AS asked (term, weight)
              JOIN public.passages AS found
                ON found.merchant_id = public.current_merchant() AND found.terms @> ARRAY[asked.term]
             GROUP BY found.kind, found.external_id, found.position
             ORDER BY weight DESC, found.kind, found.external_id, found.position
             LIMIT row_limit
           ) AS best
      JOIN public.passages
        ON passages.merchant_id = public.current_merchant() AND passages.kind = best.kind
           AND passages.external_id = best.external_id AND passages.position = best.position
     ORDER BY best.weight DESC, passages.kind, passages.external_id, passages.position;
END;

-- The merchant's words that resemble each asked word or hold it.
CREATE FUNCTION similar_words(asked_words text[], rows_per_word integer)
    RETURNS TABLE (asked text, language text, word text, term text, passages integer)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    -- Two swapped letters in the middle of a short word leave a quarter of its trigrams.
    SET pg_trgm.similarity_threshold = 0.2
BEGIN ATOMIC
    SELECT asked.word, near.language, near.word, near.term, near.passages
      FROM unnest(asked_words) AS asked (word)
     CROSS JOIN LATERAL (
            SELECT vocabulary.language, vocabulary.word, vocabulary.term, vocabulary.passages
              FROM public.vocabulary
             WHERE vocabulary.merchant_id = public.current_merchant()
               AND vocabulary.language <> 'und'
               AND (vocabulary.word OPERATOR(public.%) asked.word OR vocabulary.word LIKE '%' || asked.word || '%')
             ORDER BY public.similarity(vocabulary.word, asked.word) DESC, vocabulary.word, vocabulary.language
             LIMIT rows_per_word
           ) AS near;
END;

REVOKE ALL ON FUNCTION search_passages(text[], real[], integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION similar_words(text[], integer) FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO vitrine_reader;
ALTER FUNCTION search_passages(text[], real[], integer) OWNER TO vitrine_reader;
ALTER FUNCTION similar_words(text[], integer) OWNER TO vitrine_reader;
REVOKE CREATE ON SCHEMA public FROM vitrine_reader;
GRANT EXECUTE ON FUNCTION search_passages(text[], real[], integer) TO vitrine_api, vitrine_runtime;
GRANT EXECUTE ON FUNCTION similar_words(text[], integer) TO vitrine_api, vitrine_runtime;
