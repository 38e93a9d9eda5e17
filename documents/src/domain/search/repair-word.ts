/** A known word that resembles one that nobody knows. */
export interface Resemblance {
  lexeme: string;
  /** Of trigrams, 0…1. */
  similarity: number;
  /** Chunks that have it. */
  chunks: number;
}

/** Above this, trigrams alone say that another word was meant. */
const SIMILAR = 0.5;
const MOST_REPAIRS = 3;

/**
 * The words that were probably meant: those near enough by trigrams, or by one slip of the finger, which in a short word leaves few
 * trigrams alike. The nearest ones alone.
 */
export function repairWord(word: string, candidates: readonly Resemblance[]): { lexemes: string[]; likeness: number } {
  const judged = candidates
    .map((candidate) => ({ ...candidate, slips: slipsBetween(word, candidate.lexeme) }))
    .filter(({ similarity, slips }) => similarity >= SIMILAR || slips <= (word.length >= 8 ? 2 : 1))
    .sort((one, other) => one.slips - other.slips || other.similarity - one.similarity || other.chunks - one.chunks);
  const [nearest] = judged;
  if (nearest === undefined) return { lexemes: [], likeness: 0 };
  const kept = judged.filter(({ slips }) => slips === nearest.slips).slice(0, MOST_REPAIRS);
  return { lexemes: kept.map(({ lexeme }) => lexeme), likeness: Math.max(0.5, 1 - 0.15 * nearest.slips) };
}

/** Letters changed, added, left out or exchanged with their neighbour. */
export function slipsBetween(one: string, other: string): number {
  const [from, to] = [[...one], [...other]];
  let [before, last]: [number[], number[]] = [[], to.map((_, index) => index)];
  last.push(to.length);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      let least = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        least = Math.min(least, (before[column - 2] ?? 0) + 1);
      }
      current.push(least);
    }
    [before, last] = [last, current];
  }
  return last[to.length] ?? 0;
}
