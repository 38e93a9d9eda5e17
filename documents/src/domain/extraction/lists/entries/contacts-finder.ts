import type { ScalarAnswer } from '../../model/answer.js';
import type { ListTarget } from '../../compile/target.js';
import type { Reading, Scope } from '../../model/reading.js';
import type { ListFinder, ListProposal } from '../../model/list-finder.js';
import { NO_ITEMS, saidAnswer } from './said-answer.js';
import { SpanText } from './span-text.js';

const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,6}\p{L}{2,24}/gu;
const URI =
  /(?:https?:\/\/|www\.)[^\s<>"'()[\]{}|,;]{3,300}|(?<![@\p{L}\p{N}.-])(?:[a-z0-9-]{2,40}\.){1,3}(?:com|org|net|io|dev|edu|eu|info|me)\/[^\s<>"'()[\]{}|,;]{1,200}/giu;
const PHONE = /(?<![\p{L}\p{N}.,/$€£-])(?:\+|\(\+?|00)?\d(?:[\s\-./()]{0,2}\d){6,14}(?![\p{L}\p{N},/%-])/gu;
/** A span of years is no telephone. */
const YEARS = /^\(?(?:19|20)\d{2}\s?[-–—]\s?(?:19|20)\d{2}/u;
const PATTERNS = { email: EMAIL, uri: URI, phone: PHONE } as const;
/** Of a document that gives many addresses these are of others. */
const LINES = 60;

/** Addresses of a person or a business, at the beginning of a document or of a part of it. */
export const contactsFinder: ListFinder = {
  name: 'contacts',
  find({ item }: ListTarget, scope: Scope, reading: Reading): ListProposal | null {
    if (item.kind !== 'leaf') return null;
    const kind = item.valueKind;
    if (kind !== 'email' && kind !== 'uri' && kind !== 'phone') return null;
    const found = new Map<string, ScalarAnswer>();
    for (const line of reading.lines.slice(scope.from, Math.min(scope.to, scope.from + LINES))) {
      const text = new SpanText([{ at: line }], reading);
      for (const match of text.text.matchAll(PATTERNS[kind])) {
        const raw = match[0].replace(/[.:!?]+$/u, '');
        if (kind === 'phone' && YEARS.test(raw)) continue;
        const at = text.rangesOf(match.index, match.index + raw.length);
        const said = saidAnswer(item, { raw, at, foundBy: kind, find: 0.8 }, { reading });
        if (said.value !== null && !found.has(String(said.value))) found.set(String(said.value), said);
      }
    }
    return found.size === 0 ? null : { answer: { ...NO_ITEMS, items: [...found.values()] }, likelihood: 0.8 };
  },
};
