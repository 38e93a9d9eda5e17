import type { Answer, ObjectAnswer, ScalarAnswer } from '../../model/answer.js';
import type { LeafTarget, ListTarget, ObjectTarget, Target } from '../../compile/target.js';
import type { Reading, Scope } from '../../model/reading.js';
import type { NormalizerName } from '../../values/normalizers.js';
import type { ListFinder, ListProposal } from '../../model/list-finder.js';
import { plainWords } from '../series/plain-words.js';
import { foundBy, sectionsIn } from './entries-finder.js';
import { partsOfReference, type ReferenceParts } from './reference-parts.js';
import { NO_ITEMS, saidAnswer, unsaid } from './said-answer.js';
import { SpanText, type Part } from './span-text.js';
import { splitReferences } from './split-references.js';

type ReferenceRole = 'authors' | 'title' | 'venue' | 'year' | 'id' | 'link';

const WORDS: readonly (readonly [ReferenceRole, readonly string[]])[] = [
  ['id', ['id', 'doi', 'identifier', 'arxiv', 'isbn']],
  ['link', ['link', 'url', 'uri']],
  ['year', ['year', 'date', 'published']],
  ['venue', ['venue', 'journal', 'publisher', 'conference', 'source', 'booktitle']],
  ['authors', ['author', 'writer', 'creator']],
  ['title', ['title', 'name']],
];
/** Share of the references of a list that have a title and a year. */
const MOST = 0.6;

/** Works that a text cites or somebody has written: authors, title, venue and year of each. */
export const referencesFinder: ListFinder = {
  name: 'references',
  find(list: ListTarget, scope: Scope, reading: Reading): ListProposal | null {
    const { item } = list;
    if (item.kind !== 'object' || !isReference(item)) return null;
    const found = sectionsIn(list, scope, reading).map(({ section, likeness }) => {
      const { entries, lastNumber } = splitReferences(section.lines);
      const context = { reading, foundBy: foundBy(section), find: likeness };
      const texts = entries.map((lines) => new SpanText(lines, reading));
      const parsed = texts.map((text) => ({ text, parts: partsOfReference(text.text) }));
      return { parsed, lastNumber, context };
    });
    const read = found.filter(({ parsed }) => areReferences(parsed.map(({ parts }) => parts)));
    if (read.length === 0) return null;
    const items = read.flatMap(({ parsed, context }) =>
      parsed.map(({ text, parts }) => new ReferenceWriter(text, parts, context).object(item)),
    );
    const numbers = read.map(({ lastNumber }) => lastNumber);
    const expectedRows = numbers.every((number) => number !== null)
      ? numbers.reduce((sum, number) => sum + number, 0)
      : null;
    const method = expectedRows === null ? null : 'numbering';
    const likelihood = Math.min(1, Math.max(...read.map(({ context }) => context.find)) + 0.05);
    return { answer: { ...NO_ITEMS, items, expectedRows, method }, likelihood };
  },
};

function areReferences(parts: readonly ReferenceParts[]): boolean {
  const whole = parts.filter(({ title, year }) => title !== null && year !== null).length;
  return whole > 0 && whole >= MOST * parts.length;
}

/** Items that have authors and a title are works. */
function isReference(item: ObjectTarget): boolean {
  const roles = item.properties.map(roleOf);
  return roles.includes('authors') && roles.includes('title');
}

function roleOf(target: Target): ReferenceRole | null {
  return roleIn(plainWords(target.name)) ?? roleIn(plainWords(target.description.split(/[.;(]/u)[0] ?? ''));
}

function roleIn(words: readonly string[]): ReferenceRole | null {
  return WORDS.find(([, said]) => words.some((word) => said.includes(word)))?.[0] ?? null;
}

interface Context {
  reading: Reading;
  foundBy: string;
  find: number;
}

class ReferenceWriter {
  constructor(
    private readonly text: SpanText,
    private readonly parts: ReferenceParts,
    private readonly context: Context,
  ) {}

  object(target: ObjectTarget): ObjectAnswer {
    return { kind: 'object', properties: new Map(target.properties.map((one) => [one.name, this.answer(one)])) };
  }

  private answer(target: Target): Answer {
    const role = roleOf(target);
    if (target.kind === 'leaf') return this.leaf(target, role);
    if (target.kind === 'object') return this.object(target);
    if (role !== 'authors') return NO_ITEMS;
    return { ...NO_ITEMS, items: this.parts.names.map((name) => this.named(target.item, name)) };
  }

  /** A name alone, or an object of which one text is the name. */
  private named(target: Target, name: Part): Answer {
    if (target.kind === 'leaf') return this.said(target, name);
    if (target.kind === 'list') return NO_ITEMS;
    const own = target.properties.find((one) => one.kind === 'leaf' && roleOf(one) === 'title') ?? target.properties[0];
    const answerOf = (one: Target): Answer => {
      if (one.kind === 'leaf') return one === own ? this.said(one, name) : unsaid(this.context.find);
      return one.kind === 'list' ? NO_ITEMS : this.object(one);
    };
    return { kind: 'object', properties: new Map(target.properties.map((one) => [one.name, answerOf(one)])) };
  }

  private leaf(leaf: LeafTarget, role: ReferenceRole | null): ScalarAnswer {
    const part = role === null ? null : this.parts[role];
    return part === null ? unsaid(this.context.find) : this.said(leaf, part, role === 'year');
  }

  private said(leaf: LeafTarget, { from, to, text: raw }: Part, isYear = false): ScalarAnswer {
    const by: NormalizerName[] = isYear ? ['verbatim', 'figure'] : ['passage'];
    return saidAnswer(
      leaf,
      { raw, at: this.text.rangesOf(from, to), ...this.context },
      { reading: this.context.reading, by },
    );
  }
}
