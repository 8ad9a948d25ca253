const SENTENCE_END = /[.!?؟。…]["'»”)\]]*(?=\s)|\n/g;

/**
 * What of a growing text is finished and was not read aloud yet: whole sentences from `spoken` on, or all of the
 * rest once nothing more comes. Lengths are UTF-16 units.
 */
export function finishedSentences(
  text: string,
  spoken: number,
  complete: boolean,
): { text: string; spoken: number } {
  if (complete) return { text: text.slice(spoken).trim(), spoken: text.length };
  const rest = text.slice(spoken);
  let end = 0;
  for (const match of rest.matchAll(SENTENCE_END)) end = match.index + match[0].length;
  return { text: rest.slice(0, end).trim(), spoken: spoken + end };
}
