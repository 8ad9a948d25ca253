/** The `dir` of a field: that of what is written in it. An empty one takes the page's, where "auto" would mean left to right. */
export function directionOf(text: string): "auto" | undefined {
  return text === "" ? undefined : "auto";
}
