/** How many characters the server counts in a message: Unicode scalar values, without white space around them. */
export function characterCount(text: string): number {
  return [...text.trim()].length;
}
