import { credentialUrlSpans } from './credential-urls.js';
import type { Span } from './span.js';
import { webTokenSpans } from './web-tokens.js';

/**
 * Characters after a fixed start: the start, the class, and the minimum number. The tables are Sandgate's own
 * (docs/design/events.md).
 */
type Shape = readonly [start: string, characters: string, atLeast: number];

const WORD = 'A-Za-z0-9';
const NAME = 'A-Za-z0-9_-';
const HEX = 'A-Fa-f0-9';
const CAPITALS = 'A-Z0-9';

// prettier-ignore
const SHAPES: readonly Shape[] = [
  // Sandgate
  ['svc_(?:sess|trig|web|pat|whsec)_', WORD, 8], ['docsvc_(?:at|cs|rt)_', NAME, 8],
  // model providers
  ['sk-ant-', NAME, 8], ['sk-(?:proj|svcacct|admin)-', NAME, 16], ['sk-or-(?:v1-)?', NAME, 20], ['sk-', WORD, 20], ['AIza', NAME, 35], ['hf_', WORD, 30], ['api_org_', WORD, 30],
  ['gsk_', WORD, 20], ['xai-', WORD, 20], ['pplx-', WORD, 20], ['r8_', WORD, 20], ['sk_', HEX, 40], ['tvly-', NAME, 20],
  // code hosts and registries
  ['gh[pousr]_', WORD, 20], ['github_pat_', 'A-Za-z0-9_', 20], ['gl(?:pat|ptt|dt|rt|cbt|soat|ft|agent|imt|oas|ffct|wt)-', 'A-Za-z0-9_.-', 20], ['ATATT3', 'A-Za-z0-9_=-', 20],
  ['npm_', WORD, 36], ['npg_', WORD, 8], ['pypi-', NAME, 50], ['rubygems_', HEX, 40], ['dckr_(?:pat|oat)_', NAME, 20],
  // clouds
  ['A(?:KIA|SIA|BIA|CCA)', CAPITALS, 16], ['ya29\\.', NAME, 20], ['GOCSPX-', NAME, 20], ['1//0', NAME, 30], ['do[opr]_v1_', HEX, 40], ['dapi', HEX, 32],
  ['sig=', 'A-Za-z0-9%/+=', 43], ['hv[sb]\\.', NAME, 20], ['tskey-', 'A-Za-z0-9-', 20], ['sbp_', HEX, 40], ['pscale_(?:tkn|pw|oauth)_', 'A-Za-z0-9_.=-', 20], ['dp\\.(?:pt|st|ct|sa|scim)\\.', WORD, 20],
  // chat, mail, payment, work
  ['xox[abeprs]-', 'A-Za-z0-9-', 10], ['xapp-', 'A-Za-z0-9-', 10], ['hooks\\.slack\\.com/(?:services|workflows|triggers)/', 'A-Za-z0-9/_-', 20], ['sk_(?:live|test|prod)_', WORD, 10], ['rk_(?:live|test|prod)_', WORD, 10], ['whsec_', 'A-Za-z0-9+/=_-', 16],
  ['SK(?=[a-f0-9]{32})', 'a-f0-9', 32], ['SG\\.[A-Za-z0-9_-]{16,}\\.', NAME, 16], ['shp(?:at|ca|pa|ss)_', HEX, 32], ['lin_api_', WORD, 20], ['ntn_', WORD, 20], ['glsa_', 'A-Za-z0-9_', 20],
  ['PMAK-', 'A-Za-z0-9-', 20], ['NRAK-', CAPITALS, 20], ['sntry[su]_', 'A-Za-z0-9_=+/-', 20], ['figd_', NAME, 20], ['AGE-SECRET-KEY-1', CAPITALS, 20],
];

/** A key without its end is hidden as far as it looks like a key, so that a cut never shows half of one. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.()]|-(?!----))*(?:-----END [A-Z0-9 ]{0,60}-----)?/g;

/** Shapes without a fixed start: looked for only where their mark occurs. */
const MARKED: readonly (readonly [mark: string, shape: RegExp])[] = [
  ['-----BEGIN', PRIVATE_KEY],
  ['Q~', /[\w~.]{3}\dQ~[A-Za-z0-9_~.-]{31,}/g],
  [':AA', /\d{8,10}:AA[A-Za-z0-9_-]{33,}/g],
];

const SECRET = byFirstLetter([
  ...SHAPES.map(([start, characters, atLeast]) => `${start}[${characters}]{${atLeast},}`),
  ...['b', 'B'].map((letter) => `${letter}[Ee][Aa][Rr][Ee][Rr] [A-Za-z0-9._~+/=-]{16,}`),
]);

/**
 * One expression of all shapes, grouped by the letter that they begin with: most places of a text are passed by a look at one
 * letter. Each alternative ends in one greedy run of a class, so matching is linear.
 */
function byFirstLetter(shapes: readonly string[]): RegExp {
  const groups = new Map<string, string[]>();
  for (const shape of shapes) groups.set(shape[0]!, [...(groups.get(shape[0]!) ?? []), shape.slice(1)]);
  const alternatives = Array.from(groups, ([letter, rests]) => `${letter}(?:${rests.join('|')})`);
  return new RegExp(`(?=[${[...groups.keys()].join('')}])(?:${alternatives.join('|')})`, 'g');
}

const LABEL = /key|token|secret/i;
/** Secrets without a shape of their own, known by their label alone; quotes may be escaped, as in JSON within a string. */
const LABELLED =
  /(?:secret_?access_?key|account_?key|shared_?access_?key|auth_?token|client_?secret|api[_-]?key|access_?token|refresh_?token)[\\"'\s]{0,24}(?:=>|[:=])[\\"'\s]{0,24}([A-Za-z0-9+/=_~.-]{32,})/gi;

/** Secrets in a text (CP-286), in order and without overlap. Linear in the text; never throws. */
export function secretSpans(text: string): Span[] {
  const spans: Span[] = [];
  if (text.includes('://')) spans.push(...credentialUrlSpans(text));
  if (text.includes('eyJ')) spans.push(...webTokenSpans(text));
  find(SECRET, text, (start, found) => {
    const scheme = found.startsWith('b') || found.startsWith('B') ? 'bearer '.length : 0;
    spans.push({ start, end: start + found.length, secret: start + scheme });
  });
  for (const [mark, shape] of MARKED) {
    if (!text.includes(mark)) continue;
    find(shape, text, (start, found) => spans.push({ start, end: start + found.length, secret: start }));
  }
  if (LABEL.test(text)) {
    find(LABELLED, text, (labelStart, found, value) => {
      const end = labelStart + found.length;
      const start = end - (value ?? '').length;
      spans.push({ start, end, secret: start });
    });
  }
  return spans.length < 2 ? spans : merged(spans);
}

/** `matchAll` without its copy of the expression, which costs more than the search in a short text. */
function find(shape: RegExp, text: string, found: (start: number, match: string, group?: string) => void): void {
  shape.lastIndex = 0;
  for (let match = shape.exec(text); match !== null; match = shape.exec(text)) found(match.index, match[0], match[1]);
}

function merged(spans: Span[]): Span[] {
  spans.sort((a, b) => a.start - b.start);
  const kept: Span[] = [];
  for (const span of spans) {
    const last = kept.at(-1);
    if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end);
    else kept.push(span);
  }
  return kept;
}
