import { distance } from 'fastest-levenshtein';
import type { Reading } from '../model/reading.js';
import { localeOf, recognize, type FoundValue, type Locale, type RecognizedKind } from '../values/recognize.js';
import { labelWords } from '../compile/label-words.js';
import { PageNeighbours } from './page-neighbours.js';
import { blocksOf, type TextBlock } from './text-block.js';

/** A word of a block as labels are compared with it. */
export interface IndexedWord {
  text: string;
  block: TextBlock;
  /** Where it stands in the text of its block. */
  from: number;
  to: number;
}

/** A value that stands in a block. */
export interface PlacedValue extends FoundValue {
  block: TextBlock;
}

type Recognizable = Exclude<RecognizedKind, 'text' | 'boolean'>;

const INDEXES = new WeakMap<Reading, DocumentIndex>();
/** Recognized words are misread: so short ones are compared exactly. */
const SHORTEST_MISREAD = 5;
/** Longer blocks hold no value that a label names, and would take the time of many. */
const LONGEST_TEXT = 6000;

/** What is looked up in a document again and again; made once for each. */
export class DocumentIndex {
  readonly blocks: readonly TextBlock[];
  readonly words: readonly IndexedWord[];
  readonly locale: Locale;
  readonly neighbours: PageNeighbours;
  private readonly byText = new Map<string, number[]>();
  private readonly values = new Map<Recognizable, ReadonlyMap<TextBlock, readonly PlacedValue[]>>();
  private readonly misread = new Map<string, readonly string[]>();
  /** Whether a part of it at least was a picture. */
  readonly isRecognized: boolean;

  private constructor(readonly reading: Reading) {
    this.blocks = blocksOf(reading);
    this.neighbours = new PageNeighbours(this.blocks);
    this.locale = localeOf(reading.lines.map(({ text }) => text));
    this.words = this.blocks.flatMap((block) => labelWords(block.text).map((word) => ({ ...word, block })));
    for (const [at, { text }] of this.words.entries()) {
      const known = this.byText.get(text);
      if (known === undefined) this.byText.set(text, [at]);
      else known.push(at);
    }
    this.isRecognized = reading.pages.some(({ source }) => source === 'ocr' || source === 'mixed');
  }

  static of(reading: Reading): DocumentIndex {
    const known = INDEXES.get(reading);
    if (known !== undefined) return known;
    const made = new DocumentIndex(reading);
    INDEXES.set(reading, made);
    return made;
  }

  /** Where a word stands, as places among {@link words}; in a recognized document also where it is misread by one letter. */
  placesOf(text: string): readonly number[] {
    const exact = this.byText.get(text) ?? [];
    if (!this.isRecognized || text.length < SHORTEST_MISREAD) return exact;
    return [...exact, ...this.misreadOf(text).flatMap((other) => this.byText.get(other) ?? [])].sort((a, b) => a - b);
  }

  isWord(at: number, text: string): boolean {
    const word = this.words[at];
    if (word === undefined) return false;
    return word.text === text || (this.isRecognized && this.misreadOf(text).includes(word.text));
  }

  /** Values of a kind in a block. */
  valuesIn(block: TextBlock, kind: Recognizable): readonly PlacedValue[] {
    return this.valuesOf(kind).get(block) ?? [];
  }

  /** All values of a kind by their blocks, in reading order. */
  valuesOf(kind: Recognizable): ReadonlyMap<TextBlock, readonly PlacedValue[]> {
    const known = this.values.get(kind);
    if (known !== undefined) return known;
    const made = new Map<TextBlock, readonly PlacedValue[]>();
    for (const block of this.blocks) {
      if (block.text.length > LONGEST_TEXT) continue;
      const found = recognize(kind, block.text, this.locale).map((value) => ({ ...value, block }));
      if (found.length > 0) made.set(block, found);
    }
    this.values.set(kind, made);
    return made;
  }

  private misreadOf(text: string): readonly string[] {
    if (text.length < SHORTEST_MISREAD) return [];
    const known = this.misread.get(text);
    if (known !== undefined) return known;
    const near = [...this.byText.keys()].filter(
      (other) => other !== text && Math.abs(other.length - text.length) <= 1 && distance(other, text) <= 1,
    );
    this.misread.set(text, near);
    return near;
  }
}
