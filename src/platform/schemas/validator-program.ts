import { existsSync } from 'node:fs';

/**
 * The built program of a validator's thread: beside this module where it is built itself, in `dist/` when sources run (tests).
 *
 * @throws Error when it was not built
 */
export function validatorProgram(): URL {
  const places = ['./validator/main.js', '../../../dist/src/platform/schemas/validator/main.js'];
  const found = places.map((place) => new URL(place, import.meta.url)).find((place) => existsSync(place));
  if (found === undefined) throw new Error('the schema validator is missing; run: npm run build');
  return found;
}
