import type { ExactJson } from '../../domain/digest/exact-json.js';
import { mapStrings } from '../../domain/redaction/map-strings.js';
import type { McpOutcome } from '../../platform/mcp/mcp-outcome.js';

const MARK = '‹redacted›';
/** Shorter texts occur by chance, and no secret is that short. */
const LEAST_CHARS = 8;

/**
 * The outcome without the credential that the call was made with. A server that shows its callers what they sent (a debugging
 * tool, an error page) would otherwise hand the credential to the sandbox and to the model, which must never have it (CP-289).
 * Only verbatim copies are found: a hostile server could encode the credential, which it has anyway.
 */
export function withoutCredential(outcome: McpOutcome, headers: Readonly<Record<string, string>>): McpOutcome {
  if (outcome.state !== 'succeeded' && outcome.state !== 'failed_upstream') return outcome;
  const secrets = secretsIn(headers);
  const text = JSON.stringify([outcome.content, outcome.structuredContent ?? null]);
  if (!secrets.some((secret) => text.includes(JSON.stringify(secret).slice(1, -1)))) return outcome;
  const mask = (value: string): string => secrets.reduce((masked, secret) => masked.replaceAll(secret, MARK), value);
  const clean = <T extends ExactJson>(value: T): T => mapStrings(value, mask, mask);
  const { structuredContent } = outcome;
  return {
    ...outcome,
    content: clean(outcome.content),
    ...(structuredContent === undefined ? {} : { structuredContent: clean(structuredContent) }),
  };
}

/**
 * Each header's value without its scheme, and, for Basic, what it encodes; longest first, so that no part of a longer one
 * remains.
 */
function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const secrets = Object.values(headers).flatMap((value) => {
    const [, scheme, credential] = /^(?:(Basic|Bearer) )?(.*)$/s.exec(value) ?? [];
    if (credential === undefined || scheme !== 'Basic') return [credential ?? value];
    const decoded = Buffer.from(credential, 'base64').toString('utf8');
    return [credential, decoded, decoded.slice(decoded.indexOf(':') + 1)];
  });
  return secrets.filter((secret) => secret.length >= LEAST_CHARS).toSorted((a, b) => b.length - a.length);
}
