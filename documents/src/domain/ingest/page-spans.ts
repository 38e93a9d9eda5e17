/** Pages that one program reads, both ends included. */
export interface PageSpan {
  from: number;
  to: number;
}

/** Pages that one child workflow reads. */
export const BATCH_PAGES = 50;

/** The pages from `from` on in batches, the last one shorter. */
export function* planBatches(from: number, pageCount: number): Generator<PageSpan, undefined> {
  for (let first = from; first <= pageCount; first += BATCH_PAGES) {
    yield { from: first, to: Math.min(pageCount, first + BATCH_PAGES - 1) };
  }
  return undefined;
}

/** What is left of a span after a program read its first pages and then failed. */
export interface Remainder {
  /** The page that cannot be read, where that is certain. */
  failed: number | null;
  /** What is read next; none is as long as the span was. */
  spans: PageSpan[];
}

/**
 * What to read after a failure. The page at which the program stood is read alone, and fails alone; what is behind it is halved. So no span is
 * read twice, a page that fails costs one program, and all others are read.
 *
 * @param read how many pages came before the failure
 * @param inParts whether fewer pages at a time may pass
 */
export function remainderOf(span: PageSpan, read: number, inParts: boolean): Remainder {
  const suspect = span.from + read;
  if (suspect > span.to) return { failed: null, spans: [] };
  const isAlone = span.from === span.to;
  const rest = halve({ from: suspect + 1, to: span.to });
  return isAlone || !inParts
    ? { failed: suspect, spans: rest }
    : { failed: null, spans: [{ from: suspect, to: suspect }, ...rest] };
}

function halve({ from, to }: PageSpan): PageSpan[] {
  if (from > to) return [];
  if (from === to) return [{ from, to }];
  const middle = Math.floor((from + to) / 2);
  return [
    { from, to: middle },
    { from: middle + 1, to },
  ];
}
