import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const FILES = ['scalars/weights.ts', 'confidence/confidence-weights.ts'];

/** How the page of the documentation says that it was made: by which command, and for which weights, so that it is not cited for others. */
export function pageHead(): string {
  const digest = createHash('sha256');
  for (const file of FILES)
    digest.update(readFileSync(new URL(`../../../src/domain/extraction/${file}`, import.meta.url)));
  return [
    'Made by `npm run measure:page -w documents -- --gold FOLDER`; do not edit by hand. The documents are those on which weights and rules were',
    'developed, so that other documents will do worse. What is learned from them is left out in turn: each document is extracted, and its confidence',
    'weighed, by weights that were fitted to all others. Rules and lexicons are the same for all. A goal is for documents that nobody has seen; it is',
    `called met here where the documents left out in turn meet it. The weights of this version are \`${digest.digest('hex').slice(0, 12)}\`.`,
  ].join('\n');
}
