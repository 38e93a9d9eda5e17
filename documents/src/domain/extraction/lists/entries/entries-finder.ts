import type { Answer, ObjectAnswer, ScalarAnswer } from '../../model/answer.js';
import { leavesOf, type LeafTarget, type ListTarget, type ObjectTarget } from '../../compile/target.js';
import type { Reading, Scope } from '../../model/reading.js';
import type { NormalizerName } from '../../values/normalizers.js';
import type { AnswerObject, ListFinder, ListProposal } from '../../model/list-finder.js';
import { seriesShapeOf } from '../series/series-shape.js';
import { partsOf, type EntryParts, type Piece } from './entry-parts.js';
import { entryRoleOf, type EntryRole } from './entry-roles.js';
import { inferredAnswer, NO_ITEMS, saidAnswer, unsaid, type Said } from './said-answer.js';
import { likenessOf } from './section-words.js';
import { headingText, sectionsOf, type Section } from './sections.js';
import { splitEntries, type EntryLines } from './split-entries.js';

/** Leaves of an item that an entry must have a part for. */
const LEAST_KNOWN = 0.5;
const NUMBERS: ReadonlySet<string> = new Set(['money', 'number', 'integer', 'percent']);

/** Entries under headings, as stations of a career: each with a name, an organization, when it was, and what is said of it. */
export const entriesFinder: ListFinder = {
  name: 'entries',
  find(list: ListTarget, scope: Scope, reading: Reading, answer: AnswerObject): ListProposal | null {
    const { item } = list;
    if (item.kind !== 'object') return null;
    const roles = rolesOf(item);
    if (!isEntry(item, new Set(roles.values())) || seriesShapeOf(list) !== null) return null;
    if (roles.size < LEAST_KNOWN * leavesOf(item).length) return null;
    const found = sectionsIn(list, scope, reading);
    const items = found.flatMap(({ section, likeness }) =>
      splitEntries(section.lines).map((lines) => {
        const writer = new EntryWriter({ roles, reading, answer, foundBy: foundBy(section), find: likeness });
        return writer.item(item, lines);
      }),
    );
    if (items.length === 0) return null;
    return { answer: { ...NO_ITEMS, items }, likelihood: Math.max(...found.map(({ likeness }) => likeness)) };
  },
};

/** An entry names something and says when it was or what of it; what is mostly numbers is the row of a table. */
function isEntry(item: ObjectTarget, roles: ReadonlySet<EntryRole>): boolean {
  const leaves = leavesOf(item);
  const numbers = leaves.filter(({ valueKind }) => NUMBERS.has(valueKind)).length;
  const isNamed = roles.has('title') || roles.has('organization') || roles.has('text');
  const isSaid = roles.has('text') || roles.has('start') || roles.has('end') || roles.has('date');
  return isNamed && isSaid && roles.size > 1 && numbers <= leaves.length / 4;
}

/** The sections that a list is of, in the part of the document. */
export function sectionsIn(list: ListTarget, scope: Scope, reading: Reading): { section: Section; likeness: number }[] {
  return sectionsOf(reading).flatMap((section) => {
    const likeness = likenessOf(section, list);
    const lines = section.lines.filter(({ number }) => number >= scope.from && number < scope.to);
    return likeness === 0 || lines.length === 0 ? [] : [{ section: { ...section, lines }, likeness }];
  });
}

export function foundBy({ heading }: Section): string {
  return heading === null ? '' : headingText(heading);
}

function rolesOf(item: ObjectTarget): Map<LeafTarget, EntryRole> {
  return new Map(
    leavesOf(item).flatMap((leaf) => {
      const role = entryRoleOf(leaf);
      return role === null ? [] : [[leaf, role] as const];
    }),
  );
}

interface Context {
  roles: ReadonlyMap<LeafTarget, EntryRole>;
  reading: Reading;
  answer: AnswerObject;
  foundBy: string;
  find: number;
}

/** One entry as an item. */
class EntryWriter {
  private readonly has: ReadonlySet<EntryRole>;

  constructor(private readonly context: Context) {
    this.has = new Set(context.roles.values());
  }

  item(target: ObjectTarget, lines: EntryLines): ObjectAnswer {
    return this.object(target, partsOf(lines, this.context.reading));
  }

  private object(target: ObjectTarget, parts: EntryParts): ObjectAnswer {
    const answerOf = (property: ObjectTarget['properties'][number]): Answer => {
      if (property.kind === 'object') return this.object(property, parts);
      if (property.kind === 'list') return this.list(property, parts);
      return this.leaf(property, parts);
    };
    return { kind: 'object', properties: new Map(target.properties.map((one) => [one.name, answerOf(one)])) };
  }

  /** A list of texts in an entry has its points. */
  private list({ item }: ListTarget, { points }: EntryParts): Answer {
    if (item.kind !== 'leaf') return NO_ITEMS;
    return { ...NO_ITEMS, items: points.map((piece) => saidAnswer(item, this.said(piece), this.context)) };
  }

  private leaf(leaf: LeafTarget, parts: EntryParts): ScalarAnswer {
    const role = this.context.roles.get(leaf);
    if (role === undefined) return unsaid(this.context.find);
    if (role === 'current') return this.current(parts);
    const piece = this.pieceFor(role, parts);
    return piece === null ? unsaid(this.context.find) : this.read(leaf, role, piece);
  }

  private read(leaf: LeafTarget, role: EntryRole, piece: Piece): ScalarAnswer {
    const isTime = role === 'start' || role === 'end' || role === 'date';
    const by: NormalizerName[] = isTime ? ['verbatim', 'figure'] : ['passage'];
    return saidAnswer(leaf, this.said(piece), { reading: this.context.reading, by });
  }

  private pieceFor(role: EntryRole, parts: EntryParts): Piece | null {
    switch (role) {
      case 'title':
        return parts.title;
      case 'organization':
        return parts.organization;
      case 'start':
        return parts.start;
      case 'end':
        return parts.end;
      case 'date':
        return this.has.has('start') ? null : parts.date;
      case 'text':
        return this.has.has('title') ? parts.body : withBody(parts);
      case 'authors':
      case 'category':
      case 'link':
      case 'current':
        return null;
    }
  }

  /** Something goes on where it is said to, and is over where its end is said. */
  private current({ present, end }: EntryParts): ScalarAnswer {
    if (present !== null) return inferredAnswer(true, this.said(present), this.context.reading);
    return end === null ? unsaid(this.context.find) : inferredAnswer(false, this.said(end), this.context.reading);
  }

  private said({ raw, at }: Piece): Said {
    return { raw, at, foundBy: this.context.foundBy, find: this.context.find };
  }
}

/** All that is said of an entry whose items have no place for its name. */
function withBody({ head, body }: EntryParts): Piece | null {
  if (head === null || body === null) return head ?? body;
  return { raw: `${head.raw} ${body.raw}`, at: [...head.at, ...body.at] };
}
