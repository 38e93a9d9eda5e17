import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const PAGE = readFileSync(resolve('docs/identity.md'), 'utf8');

/** The shell blocks of a section of docs/identity.md, in their order. */
export function blocksOf(section: string): string[] {
  const text = PAGE.split(/^## /m).find((part) => part.startsWith(section));
  if (text === undefined) throw new Error(`docs/identity.md has no section "${section}"`);
  return [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
}

/** The variables that a line of the page sets before its command. */
export function variablesOf(line: string): Record<string, string> {
  return Object.fromEntries(
    [...line.matchAll(/\b([A-Z_]+)=(\S+) /g)].map(([, name = '', value = '']) => [name, value]),
  );
}
