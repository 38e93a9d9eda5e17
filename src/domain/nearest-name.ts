/**
 * The known name that takes the fewest single-character edits to make of a given one, for a refusal that says what was probably
 * meant; of several equally near ones the first. Undefined without known names.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  // A text far longer than any name is near none of them, and comparing it would take too long.
  const shown = given.slice(0, MAX_COMPARED);
  const ranked = known.map((name) => ({ name, distance: editDistance(shown.toLowerCase(), name.toLowerCase()) }));
  return ranked.reduce<(typeof ranked)[number] | undefined>(
    (best, one) => (best === undefined || one.distance < best.distance ? one : best),
    undefined,
  )?.name;
}

/** Ends a refusal of a name that is not known: `; did you mean repository?`. Empty without known names. */
export function didYouMean(given: string, known: readonly string[]): string {
  const nearest = nearestName(given, known);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

const MAX_COMPARED = 128;

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution);
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
