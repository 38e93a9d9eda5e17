import { SandgateError } from '../../domain/errors.js';

/** Deepest nesting of a request body; what reads it afterwards may recurse. */
const MAX_DEPTH = 64;
/**
 * Squares of the members of each object, added up: what shapes a body into its DTO compares the members of an object in pairs, so
 * one object of 20,000 members takes a third of a second, on the thread of the gate, and one of 150,000 a minute.
 */
const MAX_MEMBER_PAIRS = 20_000 ** 2;

/**
 * Refuses what PostgreSQL cannot store: NUL in any string, lone surrogates, which have no UTF-8 form, and numbers that were read as
 * infinite; and bodies that are nested too deep or hold too many members. Walks values and member names, without recursion, so that no nesting can exhaust the stack.
 */
export function refuseUnstorableText(root: unknown, name: string): void {
  const pending: { path: string; value: unknown; depth: number }[] = [{ path: name, value: root, depth: 0 }];
  let memberPairs = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, value, depth } = next;
    if (depth > MAX_DEPTH)
      throw new SandgateError('invalid_request', `body: is nested deeper than ${MAX_DEPTH} levels`);
    if (typeof value === 'string') {
      refuse(value, path);
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw new SandgateError('invalid_request', `${path}: is a number out of range`);
    } else if (Array.isArray(value)) {
      value.forEach((item, index) => pending.push({ path: `${path}[${index}]`, value: item, depth: depth + 1 }));
    } else if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value);
      memberPairs += members.length ** 2;
      if (memberPairs > MAX_MEMBER_PAIRS)
        throw new SandgateError('invalid_request', `${path === '' ? 'body' : path}: holds too many members`);
      for (const [key, member] of members) {
        refuse(key, `a member name in ${path}`);
        pending.push({ path: path === '' ? key : `${path}.${key}`, value: member, depth: depth + 1 });
      }
    }
  }
}

function refuse(text: string, path: string): void {
  if (text.includes('\u0000'))
    throw new SandgateError('invalid_request', `${path}: must not contain the character U+0000`);
  if (!text.isWellFormed())
    throw new SandgateError('invalid_request', `${path}: is not well-formed Unicode (lone surrogate)`);
}
