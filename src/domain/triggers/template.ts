import { SandgateError } from '../errors.js';

const OPEN = '{{';
const CLOSE = '}}';

/**
 * Fills the holes of a task template, `{{key}}`, in one pass: what is filled in is not looked at again, and a stray `}}` stays as it is.
 *
 * @param keys what holes may name; more of them than the template uses do no harm
 * @throws SandgateError `invalid_request` naming a hole that has no key, or that is not closed
 */
export function renderTemplate(template: string, keys: Readonly<Record<string, string>>): string {
  const [head = '', ...holes] = template.split(OPEN);
  return holes.reduce((text, piece) => {
    const end = piece.indexOf(CLOSE);
    if (end === -1) throw invalid(`a ${OPEN} is not closed`);
    const key = piece.slice(0, end).trim();
    if (!Object.hasOwn(keys, key)) throw invalid(`${OPEN}${key}${CLOSE} has no value; known are ${describeKeys(keys)}`);
    return text + keys[key] + piece.slice(end + CLOSE.length);
  }, head);
}

/** The keys that the closed holes of a template name, each once. */
export function templateKeys(template: string): string[] {
  const [, ...holes] = template.split(OPEN);
  const closed = holes.filter((piece) => piece.includes(CLOSE));
  return [...new Set(closed.map((piece) => piece.slice(0, piece.indexOf(CLOSE)).trim()))];
}

function describeKeys(keys: Readonly<Record<string, string>>): string {
  const names = Object.keys(keys).sort();
  return names.length === 0 ? 'none' : names.join(', ');
}

function invalid(reason: string): SandgateError {
  return new SandgateError('invalid_request', `task_template: ${reason}`);
}
