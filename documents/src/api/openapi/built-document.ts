import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Beside the built sources; what runs from the sources themselves finds the committed one. */
export const BUILT_DOCUMENT = fileURLToPath(new URL('../../../openapi.json', import.meta.url));

/** The description that the build made from the controllers, which takes longer to make than to read. */
export function builtDocument(): object {
  return JSON.parse(readFileSync(BUILT_DOCUMENT, 'utf8')) as object;
}
