import { wordsOfLabel } from '../compile/label-words.js';
import { tellingWords } from '../compile/roles.js';
import type { LeafTarget } from '../compile/target.js';
import { findCompanies, isCompany } from '../values/company-names.js';
import { hasBlankRoom } from './blank-room.js';
import { candidateOf, type Candidate } from './candidate.js';
import type { Features } from './features.js';
import { sayingOfHit } from './find-labels.js';
import { namedPlaces, type NamedPlace } from './named-place.js';
import type { PartOfDocument } from './part-of-document.js';
import { spacedCompanies } from './spaced-names.js';
import type { TextBlock } from './text-block.js';

/** Blocks that are weighed without a label. */
const MOST_UNNAMED = 60;
const LONGEST = 120;

interface Piece {
  block: TextBlock;
  from: number;
  to: number;
}

/** Short texts: what labels name, names of companies, and what stands out at the beginning. */
export function textCandidates(target: LeafTarget, part: PartOfDocument): Candidate[] {
  const places = namedPlaces(target, part).filter((place) => !isOfNextField(place));
  const named = places.flatMap((place) =>
    piecesAt(place, target).map((piece) => ({ piece, features: place.features, foundBy: sayingOfHit(place.hit) })),
  );
  const unnamed = unnamedPieces(target, part).map((piece) => ({ piece, features: {}, foundBy: 'place' }));
  const nouns = new Set(tellingWords(wordsOfLabel(target.name)));
  const written = [...named, ...unnamed].filter(
    ({ piece: { block, from, to } }) => !hasBlankRoom(block.text.slice(from, to)),
  );
  return written.flatMap(({ piece, features, foundBy }) => {
    const own = {
      ...part.standing(piece.block),
      ...lookOf(piece, target, nouns),
      ...webOf(piece, part),
      read: part.readOf(piece),
    };
    return (
      candidateOf(target, { ...piece, normalizedBy: 'verbatim', foundBy, features: { ...own, ...features } }) ?? []
    );
  });
}

/** Below a label with a mark, what begins with a label and a mark of its own, as `Port: B` below `Name: A`, is another field. */
function isOfNextField({ relation, hit, block }: NamedPlace): boolean {
  if (relation !== 'below' && relation !== 'next') return false;
  return (
    /^\s*:/u.test(hit.block.text.slice(hit.to)) && /^\p{L}[\p{L}\p{N} .'’/-]{0,40}:\s*[\p{L}\p{N}]/u.test(block.text)
  );
}

/** Misread pictures are full of rows of letters that nobody wrote. */
function shareOfWords(text: string): number {
  const words = text.split(/\s+/u);
  const good = words.filter((word) =>
    /^[("“]?(?:\p{Lu}?\p{Ll}{2,}|\p{Lu}{2,}|\p{Lu}\.|&|\p{Lu}\p{Ll}*\p{Lu}\p{Ll}+)['’\p{L}]*[.,:;)”"]*$/u.test(word),
  );
  return good.length / Math.max(1, words.length);
}

/** A company has its name in its address in the web. */
function webOf({ block, from, to }: Piece, part: PartOfDocument): Features {
  const letters = block.text
    .slice(from, to)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
  return letters.length > 3 && part.sites().some((site) => letters.startsWith(site) || site.startsWith(letters))
    ? { web: 1 }
    : {};
}

function lookOf({ block, from, to }: Piece, target: LeafTarget, nouns: ReadonlySet<string>): Features {
  const text = block.text.slice(from, to);
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const words = wordsOfLabel(text);
  const isName = target.shape === 'person' && isPersonName(text);
  return {
    ...(isCompany(text) ? { company: 1 } : {}),
    ...(words.some((word) => nouns.has(word)) ? { names: 1 } : {}),
    ...(from === 0 && to >= block.text.length - 1 ? { lone: 1 } : {}),
    long: Math.min(1, text.length / LONGEST),
    words: shareOfWords(text),
    letters: letters / Math.max(1, text.replaceAll(/\s/gu, '').length),
    look: isName ? 1 : target.shape === 'place' && isPlace(text) ? 1 : 0,
    early: 1 / (1 + block.index),
  };
}

/** What a label names at a place: a company where one is sought, else the phrase that begins or ends there. */
function piecesAt(place: NamedPlace, target: LeafTarget): Piece[] {
  const { relation, block, from, to } = place;
  const text = block.text.slice(from, to);
  const isName = target.shape === 'company' || target.shape === 'party';
  const companies = isName
    ? findCompanies(text).map((span) => ({ block, from: from + span.from, to: from + span.to }))
    : [];
  const nearest = relation === 'before' ? companies.at(-1) : companies[0];
  const phrase =
    target.shape === 'place'
      ? placeFrom(place)
      : relation === 'before'
        ? phraseBefore(place, isName)
        : phraseFrom(place);
  return [...(nearest === undefined ? [] : [nearest]), ...(phrase === null ? [] : [phrase])];
}

/** Behind a label, and in blocks beside it: up to a mark that ends the phrase. */
function phraseFrom({ relation, block, from, to }: NamedPlace): Piece | null {
  const isLine = block.ranges.length === 1;
  if (!isLine && relation !== 'after') return null;
  const text = block.text.slice(from, isLine ? block.text.length : to);
  const start = from + (/^[\s:#=.,;"”’)\-–—]*/u.exec(text)?.[0].length ?? 0);
  const rest = block.text.slice(start, from + text.length);
  const end = isLine ? lineEnd(rest) : clauseEnd(rest);
  return trimmed({ block, from: start, to: start + end });
}

/** The next label on the same line, as in `Name: A Date: B`, ends a value. */
function lineEnd(text: string): number {
  const match = /\s(?:\p{Lu}[\p{L}.]*\s?){1,3}[:#]/u.exec(text);
  return match === null || match.index === 0 ? text.length : match.index;
}

/** What stands between a label of law and the place whose law it is. */
const BEFORE_PLACE =
  /^[\s,:.]*(?:and\s+construed\s+)?(?:(?:in\s+accordance\s+with|under|by),?\s+)*(?:the\s+)?(?:(?:internal\s+|substantive\s+)?laws?\s+of\s+)?(?:the\s+)?/iu;
const PLACE =
  /^(?:(?:State|STATE|Commonwealth|COMMONWEALTH|Province|PROVINCE|Republic|REPUBLIC|Kingdom|KINGDOM)\s+(?:of|OF)\s+)?\p{Lu}[\p{L}.]*(?:\s(?:(?:and|of|AND)\s)?\p{Lu}\p{L}*){0,3}/u;
const NO_PLACE =
  /\b(?:agreement|law|laws|section|article|note|loan|document|party|parties|company|borrower|page|agent|lender|bank)\b/iu;

function clauseEnd(text: string): number {
  const match = /[;,(]|\.\s|\.$|:\s/u.exec(text);
  return Math.min(match?.index ?? text.length, LONGEST);
}

/** The name of a place behind a label. */
function placeFrom({ block, from, to, relation }: NamedPlace): Piece | null {
  if (relation === 'before') return null;
  const text = block.text.slice(from, to);
  const start = from + (BEFORE_PLACE.exec(text)?.[0].length ?? 0);
  const said = PLACE.exec(block.text.slice(start, to))?.[0].replace(/(?<=\p{Ll}{3})\.\s.*$|\.$/u, '');
  return said === undefined || NO_PLACE.test(said) ? null : { block, from: start, to: start + said.length };
}

function isPlace(text: string): boolean {
  return PLACE.exec(text)?.[0] === text;
}

/** `NAME, as Agent` and `NAME (the "Agent")`: what stands before a label, as far back as a mark. */
function phraseBefore({ hit, block, from, to, rank }: NamedPlace, isName: boolean): Piece | null {
  if (!isName) return null;
  if (block !== hit.block) {
    const begins = /^(?:as|the|its|being)\b/iu.test(hit.block.text);
    return begins && rank > 0 ? trimmed({ block, from: 0, to: block.text.length }) : null;
  }
  const before = block.text.slice(from, to);
  const match = /([^;:(]{3,90}?)[,\s]*(?:\(?\s?(?:as|the|each|collectively|hereinafter|called|being)\s+)*["“(]*$/u.exec(
    before,
  );
  const said = match?.[1];
  if (match === null || said === undefined || !/[,("“]|\bas\s*$/u.test(before.slice(match.index + said.length)))
    return null;
  const name = said.split(/,\s(?!(?:Inc|LLC|Ltd|L\.P|N\.A|S\.A|Corp)\b)|\band\b|\bbetween\b|\bamong\b/u).at(-1) ?? said;
  const start = from + match.index + said.lastIndexOf(name);
  return trimmed({ block, from: start, to: start + name.length });
}

function trimmed({ block, from, to }: Piece): Piece | null {
  const text = block.text.slice(from, to);
  const lead = /^[\s:#=,;.|"“”‘’(\-–—_]*/u.exec(text)?.[0].length ?? 0;
  const kept = text.slice(lead).replace(/[\s,;:|"“”_(\-–—]+$/u, '');
  if (!/[\p{L}\p{N}]/u.test(kept)) return null;
  return { block, from: from + lead, to: from + lead + kept.length };
}

/** What may be meant without a label: the first blocks, the companies of the first and the last page, names of people. */
function unnamedPieces(target: LeafTarget, part: PartOfDocument): Piece[] {
  const first = part.blocks.filter(({ pageNumber }) => pageNumber === part.firstPage);
  const wholes = first
    .filter(({ ranges, text }) => ranges.length <= 3 && text.length <= LONGEST * 2 && /\p{L}{2}/u.test(text))
    .slice(0, MOST_UNNAMED);
  const toPiece = (block: TextBlock): Piece[] => {
    const piece = trimmed({ block, from: 0, to: block.text.length });
    return piece === null ? [] : [piece];
  };
  if (target.shape === 'person') return wholes.flatMap(toPiece).map(nameIn);
  if (target.shape !== 'company' && target.shape !== 'party') return wholes.flatMap(toPiece);
  const last =
    part.lastPage > part.firstPage ? part.blocks.filter(({ pageNumber }) => pageNumber === part.lastPage) : [];
  const companies = [...first, ...last].flatMap((block) =>
    findCompanies(block.text).map((span) => ({ block, ...span })),
  );
  const spaced = spacedCompanies(first, part);
  const holders = new Set(companies.map(({ block }) => block));
  const others = wholes.filter((block) => !holders.has(block)).flatMap(toPiece);
  return [...others.map(withoutNumber), ...companies, ...spaced].slice(0, MOST_UNNAMED * 2);
}

/** A name at the beginning of a block, without what stands behind a dash or a bar; the whole where none begins there. */
function nameIn({ block, from, to }: Piece): Piece {
  const text = block.text.slice(from, to);
  const [head = text] = text.split(/\s+[-–—|•,]\s*|,/u);
  return isPersonName(head) ? { block, from, to: from + head.length } : { block, from, to };
}

/** The number under which a company is registered often stands behind its name in brackets. */
function withoutNumber({ block, from, to }: Piece): Piece {
  const text = block.text.slice(from, to);
  const cut = /\s*[({[][^)({[]*\d[^)({[]*[)}\]]?$/u.exec(text);
  return cut === null || cut.index === 0 ? { block, from, to } : { block, from, to: from + cut.index };
}

const NAME_PART = /^\p{Lu}(?:\p{Ll}+|\.|\p{Lu}+)(?:['’-]\p{L}+)*\.?,?$/u;

/** Two to five words in capitals without digits, that are no company. */
export function isPersonName(text: string): boolean {
  const words = text.trim().split(/\s+/u);
  if (words.length < 2 || words.length > 5 || /\d|[@:;/]/u.test(text) || isCompany(text)) return false;
  return words.every(
    (word) => NAME_PART.test(word) || /^(?:de|van|von|der|den|la|le|di|da|bin|binti|al|el)$/iu.test(word),
  );
}
