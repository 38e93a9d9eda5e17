import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FAMILIES, FEATURES, type Family, type Features } from '../../../src/domain/extraction/scalars/features.js';

const FILE = fileURLToPath(new URL('../../../src/domain/extraction/scalars/weights.ts', import.meta.url));

/** Writes the weights as the sources have them: families and features in their order, three digits, nothing that is 0. */
export function writeWeights(weights: Readonly<Record<Family, Features>>): void {
  const families = FAMILIES.map((family) => {
    const lines = FEATURES.flatMap((feature) => {
      const weight = Number((weights[family][feature] ?? 0).toFixed(3));
      return weight === 0 ? [] : [`    ${feature}: ${weight},`];
    });
    return [`  ${family}: {`, ...lines, '  },'].join('\n');
  });
  const text = [
    "import type { Family, Features } from './features.js';",
    '',
    '/** Made by documents/test/bench/extraction/fit.mjs; not written by hand. */',
    'export const WEIGHTS: Readonly<Record<Family, Features>> = {',
    ...families,
    '};',
    '',
  ].join('\n');
  writeFileSync(FILE, text);
}
