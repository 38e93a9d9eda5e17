import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FAMILIES, FEATURES, type Family, type Features } from '../../../src/domain/extraction/scalars/features.js';

const FILE = fileURLToPath(new URL('../../../src/domain/extraction/scalars/weights.ts', import.meta.url));
const WIDTH = 110;

/** Writes the weights as the sources have them: families and features in their order, three digits, nothing that is 0. */
export function writeWeights(weights: Readonly<Record<Family, Features>>): void {
  const families = FAMILIES.map((family) => {
    const said = FEATURES.flatMap((feature) => {
      const weight = Number((weights[family][feature] ?? 0).toFixed(3));
      return weight === 0 ? [] : [`${feature} ${weight}`];
    });
    return `  ${wrapped([`${family}:`, ...said.map((one, at) => `${one}${at < said.length - 1 ? ',' : ';'}`)]).join('\n    ')}`;
  });
  const text = [
    "import { readWeights } from './read-weights.js';",
    '',
    '/** Made by documents/test/bench/extraction/fit.mjs; not written by hand. */',
    'export const WEIGHTS = readWeights(`',
    ...families,
    '`);',
    '',
  ].join('\n');
  writeFileSync(FILE, text);
}

function wrapped(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
