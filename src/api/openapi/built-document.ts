import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Beside the built sources; what runs from the sources themselves finds the committed one. */
export const BUILT_DOCUMENT = fileURLToPath(new URL('../../../openapi.json', import.meta.url));

/** The description that the build made from the controllers: making it takes longer than anything else at the start of an API. */
export function builtDocument(): string {
  return readFileSync(BUILT_DOCUMENT, 'utf8');
}
