import { munkres } from 'munkres';

/**
 * Pairs items with items one to one so that their agreement is greatest (optimal assignment). Items with equal keys agree in everything, and are
 * paired before: no other pairing of theirs is better.
 *
 * @param agreement of item `a` with item `b`, 0 or more
 * @returns pairs of indexes in the order of the first list; only such as agree in something
 */
export function pairItems(
  ofA: readonly string[],
  ofB: readonly string[],
  agreement: (a: number, b: number) => number,
): [a: number, b: number][] {
  const equal = pairEquals(ofA, ofB);
  const takenB = new Set(equal.values());
  const restA = ofA.flatMap((_, a) => (equal.has(a) ? [] : [a]));
  const restB = ofB.flatMap((_, b) => (takenB.has(b) ? [] : [b]));
  const pairs: [number, number][] = [...equal];
  if (restA.length > 0 && restB.length > 0) {
    const agreements = restA.map((a) => restB.map((b) => agreement(a, b)));
    for (const [row, column] of munkres(agreements.map((row) => row.map((value) => -value)))) {
      const [a, b] = [restA[row], restB[column]];
      if (a !== undefined && b !== undefined && (agreements[row]?.[column] ?? 0) > 0) pairs.push([a, b]);
    }
  }
  return pairs.sort(([a], [b]) => a - b);
}

function pairEquals(ofA: readonly string[], ofB: readonly string[]): Map<number, number> {
  const places = new Map<string, number[]>();
  for (const [b, key] of ofB.entries()) {
    const those = places.get(key);
    if (those === undefined) places.set(key, [b]);
    else those.push(b);
  }
  for (const those of places.values()) those.reverse();
  const equal = new Map<number, number>();
  for (const [a, key] of ofA.entries()) {
    const b = places.get(key)?.pop();
    if (b !== undefined) equal.set(a, b);
  }
  return equal;
}
