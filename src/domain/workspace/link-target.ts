const MAX_STEPS = 40;

/** Target of a link by its path below the top; undefined for what is no link. Both as Latin-1, so that any byte survives. */
export type LinkLookup = (path: string) => string | undefined | Promise<string | undefined>;

/** The bytes of a name, one character each. */
export function toLatin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/**
 * Whether a symbolic link, followed step by step through other links, never leaves the top of its tree. Absolute targets leave it: in a
 * sandbox they would name another place. A target that does not exist may stay.
 *
 * @param folder of the link below the top, empty or ending in a slash, as Latin-1
 * @param target of the link, as Latin-1
 */
export async function staysInside(folder: string, target: string, linkAt: LinkLookup): Promise<boolean> {
  const parts = folder.split('/').filter((part) => part !== '');
  const ahead = split(target);
  if (ahead === undefined) return false;
  let steps = 0;
  while (ahead.length > 0) {
    const part = ahead.shift() as string;
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (parts.pop() === undefined) return false;
      continue;
    }
    const next = await linkAt([...parts, part].join('/'));
    if (next === undefined) {
      parts.push(part);
      continue;
    }
    const inner = split(next);
    if (inner === undefined || ++steps > MAX_STEPS) return false;
    ahead.unshift(...inner);
  }
  return true;
}

/** Undefined for an absolute target. */
function split(target: string): string[] | undefined {
  return target.startsWith('/') ? undefined : target.split('/');
}
