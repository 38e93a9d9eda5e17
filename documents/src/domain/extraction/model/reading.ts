import type { Box, Page, Table, Word } from '../../page-model.js';

/** Words that stand beside each other on one line, as indexes into the words of their page, `last` included. */
export interface WordRange {
  pageNumber: number;
  first: number;
  last: number;
}

/** A line of a document, which counts its lines over all pages. */
export interface ReadLine extends WordRange {
  text: string;
  box: Box;
}

/** A part of a document in which the values of one object stand: its lines from `from` to `to`, `to` excluded. */
export interface Scope {
  from: number;
  to: number;
}

/** A document as extraction sees it: pages that were read, in order and perhaps with gaps, their lines in one row, and the joined tables. */
export class Reading {
  readonly lines: readonly ReadLine[];
  private readonly byNumber: ReadonlyMap<number, Page>;

  /** Pages that were to be read and were not, in order. */
  readonly unread: readonly number[];

  /**
   * @param pageCount pages that the document has
   * @param unread those that were to be read and were not; without it those that lie between, and behind the last
   */
  constructor(
    readonly pages: readonly Page[],
    readonly tables: readonly Table[],
    readonly pageCount: number = pages.at(-1)?.pageNumber ?? 0,
    unread?: readonly number[],
  ) {
    this.byNumber = new Map(pages.map((page) => [page.pageNumber, page]));
    const span = { first: pages[0]?.pageNumber ?? 1, last: pageCount };
    this.unread = unread ?? unreadPages(pages, span);
    this.lines = pages.flatMap((page) =>
      page.lines.map(({ first, last, box }) => {
        const range = { pageNumber: page.pageNumber, first, last };
        return { ...range, box, text: textOfWords(page.words.slice(first, last + 1)) };
      }),
    );
  }

  get whole(): Scope {
    return { from: 0, to: this.lines.length };
  }

  /** @throws RangeError for a page that was not read */
  page(pageNumber: number): Page {
    const page = this.byNumber.get(pageNumber);
    if (page === undefined) throw new RangeError(`page ${pageNumber} was not read`);
    return page;
  }

  wordsOf({ pageNumber, first, last }: WordRange): readonly Word[] {
    return this.page(pageNumber).words.slice(first, last + 1);
  }

  /** The words of all ranges, joined by one blank. */
  textOf(ranges: readonly WordRange[]): string {
    return textOfWords(ranges.flatMap((range) => this.wordsOf(range)));
  }
}

/** Pages of a span that are not among those that were read. */
export function unreadPages(
  pages: readonly Pick<Page, 'pageNumber'>[],
  { first, last }: { first: number; last: number },
): number[] {
  const read = new Set(pages.map(({ pageNumber }) => pageNumber));
  const count = Math.max(0, last - first + 1);
  return Array.from({ length: count }, (_, at) => first + at).filter((page) => !read.has(page));
}

function textOfWords(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(' ');
}
