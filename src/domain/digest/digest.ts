import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';
import type { ExactJson } from './exact-json.js';

/** `sha256:` + 64 hex over the canonical form; an absent value counts as null, which is not `{}` (docs/design/gate.md). */
export function digestOf(value: ExactJson | undefined): string {
  return digestOfText(canonicalJson(value ?? null));
}

/** `sha256:` + 64 hex over the UTF-8 bytes of a text, or over raw bytes. */
export function digestOfText(text: string | Uint8Array): string {
  return `sha256:${hash('sha256', text, 'hex')}`;
}
