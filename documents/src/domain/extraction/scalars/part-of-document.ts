import type { Reading, Scope } from '../model/reading.js';
import { DocumentIndex, type PlacedValue } from './document-index.js';
import type { Features } from './features.js';
import type { RecognizedKind } from '../values/recognize.js';
import { rangesOf, type TextBlock } from './text-block.js';

/** So few lines are an item of a list, whose values have no labels. */
const NARROW_LINES = 14;
/** Values of one kind that are weighed without a label. */
const MOST_UNNAMED = 400;

/** The blocks of a document in which the values of one object stand, and what is the same for all candidates in them. */
export class PartOfDocument {
  readonly index: DocumentIndex;
  readonly blocks: readonly TextBlock[];
  readonly isNarrow: boolean;
  readonly firstPage: number;
  readonly lastPage: number;
  /** Height of most lines. */
  private readonly usualHeight: number;
  private siteNames: readonly string[] | null = null;
  private readonly crowds = new Map<PlacedValue, number>();
  private readonly counts = new Map<string, ReadonlyMap<string, number>>();

  constructor(
    readonly reading: Reading,
    readonly scope: Scope,
  ) {
    this.index = DocumentIndex.of(reading);
    this.blocks = this.index.blocks.filter((block) => this.holds(block));
    this.isNarrow = scope.to - scope.from <= NARROW_LINES && scope.to - scope.from < reading.lines.length;
    this.firstPage = this.blocks[0]?.pageNumber ?? 1;
    this.lastPage = this.blocks.at(-1)?.pageNumber ?? 1;
    const heights = this.blocks.map(({ lineHeight }) => lineHeight).sort((one, other) => one - other);
    this.usualHeight = heights[Math.floor(heights.length / 2)] ?? 0;
  }

  holds(block: TextBlock): boolean {
    return block.firstLine >= this.scope.from && block.firstLine < this.scope.to;
  }

  /** All values of a kind in reading order. */
  valuesOf(kind: Exclude<RecognizedKind, 'text' | 'boolean'>): PlacedValue[] {
    const all = this.index.valuesOf(kind);
    return this.blocks.flatMap((block) => all.get(block) ?? []);
  }

  /** Those that may be meant without a label: at the beginning and the end. */
  unnamed(values: readonly PlacedValue[]): PlacedValue[] {
    const near = values.filter(
      ({ block: { pageNumber } }) => pageNumber <= this.firstPage + 1 || pageNumber === this.lastPage,
    );
    return near.slice(0, MOST_UNNAMED);
  }

  /** Where a block stands and how it looks. */
  standing(block: TextBlock): Features {
    const isFirst = block.pageNumber === this.firstPage;
    return {
      bias: 1,
      ...(isFirst ? { firstPage: 1, top: Math.max(0, 1 - block.box[1] * 2) } : {}),
      ...(block.pageNumber === this.lastPage && this.lastPage > this.firstPage ? { lastPage: 1 } : {}),
      size: this.sizeOf(block),
      ...(block.isBold ? { bold: 1 } : {}),
      ...(this.isNarrow ? { narrow: 1 } : {}),
    };
  }

  /** How many other values of a kind stand on its line. */
  beside(value: PlacedValue, kind: Exclude<RecognizedKind, 'text' | 'boolean'>): number {
    const known = this.crowds.get(value);
    if (known !== undefined) return known;
    const { block } = value;
    const others = [...this.index.neighbours.rightOf(block), ...this.index.neighbours.leftOf(block)];
    const count = others.reduce((sum, other) => sum + this.index.valuesIn(other, kind).length, 0);
    this.crowds.set(value, count);
    return count;
  }

  /** How surely a part of a block was read. */
  readOf({ block, from, to }: { block: TextBlock; from: number; to: number }): number {
    const words = rangesOf(block, from, to).flatMap((range) => this.reading.wordsOf(range));
    return words.length === 0 ? 1 : words.reduce((sum, { confidence }) => sum + confidence, 0) / words.length;
  }

  sizeOf(block: TextBlock): number {
    return this.usualHeight === 0 ? 0 : Math.max(-0.5, Math.min(1.5, block.lineHeight / this.usualHeight - 1));
  }

  /** Letters of the names of sites in the document, as of `www.green-fields.com`. */
  sites(): readonly string[] {
    this.siteNames ??= [...new Set([...this.valuesOf('uri'), ...this.valuesOf('email')].map(siteOf))].filter(
      (name) => name.length > 3,
    );
    return this.siteNames;
  }

  /** How often values of a kind say the same. */
  repeats(values: readonly PlacedValue[], kind: string): ReadonlyMap<string, number> {
    const known = this.counts.get(kind);
    if (known !== undefined) return known;
    const counts = new Map<string, number>();
    for (const value of values) counts.set(sayingOf(value), (counts.get(sayingOf(value)) ?? 0) + 1);
    this.counts.set(kind, counts);
    return counts;
  }
}

/** What is compared of a value: its number, or its letters and digits. */
export function sayingOf({ amount, block, from, to }: PlacedValue): string {
  return amount === null
    ? block.text
        .slice(from, to)
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]/gu, '')
    : String(amount);
}

function siteOf({ block, from, to }: PlacedValue): string {
  const host =
    block.text
      .slice(from, to)
      .toLowerCase()
      .replace(/^.*@|^https?:\/\//u, '')
      .split('/')[0] ?? '';
  const parts = host.split('.').filter((part) => part !== 'www');
  const name = parts.slice(0, -1).reduce((longest, part) => (part.length > longest.length ? part : longest), '');
  return name.replaceAll(/[^\p{L}\p{N}]/gu, '');
}
