import { isJsonObject, type JsonObject, type JsonPrimitive, type JsonValue } from '../../../../src/domain/json.js';
import type { Box, Page } from '../page-model.js';
import type { Reading } from '../extraction/model/reading.js';
import type {
  BoundingBox,
  Citation,
  ExtractedDocument,
  ExtractedField,
} from '../extraction/model/extraction-result.js';
import { NORMALIZERS } from '../extraction/values/normalizers.js';
import type { NormalNode, NormalObject, NormalScalar } from '../schemas/normal-schema.js';
import { pointerTo } from '../json-pointer.js';

/** Something that no result may have. */
export interface EvidenceFault {
  path: string;
  message: string;
}

/** Share of a page that no box of a value covers. */
const LARGEST_BOX = 0.25;
const LONGEST_EXCERPT = 300;
/** Rounding of boxes, as a share of the page. */
const SLACK = 0.002;

/**
 * What is wrong with a result, by its pages and its schema: every leaf is described and has a confidence; one that is not null has a citation whose
 * excerpt stands on the cited page and inside its boxes, `raw` stands in the excerpt, and the value follows from it.
 */
export function checkEvidence(root: NormalObject, result: ExtractedDocument, reading: Reading): EvidenceFault[] {
  const check = new Check(result, reading);
  check.walk(root, result.data, '');
  for (const path of Object.keys(result.fields)) if (!check.seen.has(path)) check.fault(path, 'is no leaf of the data');
  return check.faults;
}

class Check {
  readonly faults: EvidenceFault[] = [];
  readonly seen = new Set<string>();

  constructor(
    private readonly result: ExtractedDocument,
    private readonly reading: Reading,
  ) {}

  fault(path: string, message: string): void {
    this.faults.push({ path, message });
  }

  walk(node: NormalNode, value: JsonValue | undefined, path: string): void {
    if (node.kind === 'scalar') return this.leaf(node, value, path);
    if (node.kind === 'list') {
      if (!Array.isArray(value)) return value === null ? undefined : this.fault(path, 'is no list');
      if (!this.result.completeness.some((one) => one.path === path)) this.fault(path, 'says nothing of completeness');
      for (const [at, item] of value.entries()) this.walk(node.items, item, pointerTo(path, at));
      return;
    }
    if (!isJsonObject(value)) return value === null ? undefined : this.fault(path, 'is no object');
    this.object(node, value, path);
  }

  private object(node: NormalObject, value: JsonObject, path: string): void {
    for (const { name, node: inner } of node.properties) this.walk(inner, value[name], pointerTo(path, name));
    const known = new Set(node.properties.map(({ name }) => name));
    for (const name of Object.keys(value)) if (!known.has(name)) this.fault(pointerTo(path, name), 'is in no schema');
  }

  private leaf(node: NormalScalar, value: JsonValue | undefined, path: string): void {
    this.seen.add(path);
    const field = this.result.fields[path];
    if (field === undefined) return this.fault(path, 'says nothing of itself');
    const { confidence } = field;
    if (!(confidence >= 0 && confidence <= 1)) this.fault(path, `has a confidence of ${confidence}`);
    if (value === undefined || isJsonObject(value) || Array.isArray(value)) return this.fault(path, 'is no scalar');
    if (value === null) return;
    for (const message of this.groundsOf(node, value, field)) this.fault(path, message);
  }

  private groundsOf(node: NormalScalar, value: JsonPrimitive, field: ExtractedField): string[] {
    const { raw, normalizedBy, citations } = field;
    // Nothing is printed in a document without words but how many pages it has.
    if (raw === null && isInferred(field) && value === this.reading.pageCount) return [];
    if (raw === null || normalizedBy === undefined) return ['has no raw text or no name of what made the value of it'];
    if (citations.length === 0) return ['has no citation'];
    const made = NORMALIZERS[normalizedBy](raw, node);
    return [
      ...(made === value || isInferred(field)
        ? []
        : [`is ${JSON.stringify(value)}, but ${normalizedBy} makes ${JSON.stringify(made)}`]),
      ...citations.flatMap((citation) => faultsOfCitation(citation, this.reading)),
      ...(this.isCited(raw, citations) ? [] : [`${JSON.stringify(raw)} does not stand in the excerpt`]),
    ];
  }

  /** What is longer than an excerpt stands in the boxes of which the excerpt has the first words, perhaps with specks of the picture between. */
  private isCited(raw: string, citations: readonly Citation[]): boolean {
    const cited = citations.map((citation) => {
      const page = pageOf(citation, this.reading);
      const isCut = citation.excerpt.length >= LONGEST_EXCERPT;
      return page === undefined || !isCut ? citation.excerpt : linesInBoxes(citation, page).join(' ');
    });
    const [said, there] = [folded(raw), folded(cited.join(' '))];
    return there.includes(said) || (said.length > LONGEST_EXCERPT && hasInOrder(there.split(' '), said.split(' ')));
  }
}

/** Whether all of `sought` is among the words, in this order. */
function hasInOrder(words: readonly string[], sought: readonly string[]): boolean {
  let at = 0;
  return sought.every((word) => {
    at = words.indexOf(word, at) + 1;
    return at > 0;
  });
}

const pageOf = ({ pageNumber }: Citation, { pages }: Reading): Page | undefined =>
  pages.find((page) => page.pageNumber === pageNumber);

/** A value that is printed nowhere, as a number of pages, or that follows from what is cited in a way that no normalizer has. */
export function isInferred({ raw, citations }: ExtractedField): boolean {
  return raw === null ? citations.length === 0 : citations.some(({ match }) => match === 'inferred');
}

const folded = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();

function faultsOfCitation(citation: Citation, reading: Reading): string[] {
  const { pageNumber, excerpt, charRange, boundingBoxes } = citation;
  const page = pageOf(citation, reading);
  if (page === undefined) return [`cites page ${pageNumber}, which was not read`];
  const text = page.text.slice(charRange.from, charRange.to);
  const pieces = excerpt.split('\n');
  const lines = linesInBoxes(citation, page);
  return [
    ...(excerpt === '' ? ['has an empty excerpt'] : []),
    ...(excerpt.length <= LONGEST_EXCERPT ? [] : [`has an excerpt of ${excerpt.length} characters`]),
    ...pieces.flatMap((piece, at) => [
      ...(text.includes(piece) ? [] : [`does not stand on page ${pageNumber}: ${JSON.stringify(piece)}`]),
      ...(lines[at]?.includes(folded(piece)) === true ? [] : [`stands outside of its boxes: ${JSON.stringify(piece)}`]),
    ]),
    ...(boundingBoxes.every(isSmall) ? [] : ['has a box of a large part of a page']),
  ];
}

const isSmall = ({ width, height }: BoundingBox): boolean => width * height <= LARGEST_BOX;

/** The words that lie in each box of a citation. */
function linesInBoxes({ boundingBoxes }: Citation, page: Page): string[] {
  return boundingBoxes.map((box) =>
    folded(page.words.flatMap((word) => (isInside(word.box, box) ? [word.text] : [])).join(' ')),
  );
}

function isInside([x, y, width, height]: Box, box: BoundingBox): boolean {
  const isWithin = (from: number, size: number, start: number, length: number): boolean =>
    from >= start - SLACK && from + size <= start + length + SLACK;
  return isWithin(x, width, box.x, box.width) && isWithin(y, height, box.y, box.height);
}
