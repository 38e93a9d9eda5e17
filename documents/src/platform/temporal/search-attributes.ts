import type { Client } from '@temporalio/client';

/** `temporal.api.enums.v1.IndexedValueType` */
const KEYWORD = 2;
const NAMES = ['DocsvcOrg', 'DocsvcStage'];

/**
 * Makes sure that the namespace knows the search attributes of ingests, and adds those that are missing where that is allowed.
 *
 * @returns names that are still missing; ingests then go on without any
 */
export async function ensureSearchAttributes(client: Client, namespace: string): Promise<string[]> {
  const missing = await missingSearchAttributes(client, namespace);
  if (missing.length === 0) return [];
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
  try {
    await client.connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
    return [];
  } catch {
    // This login may not add them, or another worker did so in this instant: so it looks at what is there now.
    return missingSearchAttributes(client, namespace);
  }
}

async function missingSearchAttributes(client: Client, namespace: string): Promise<string[]> {
  const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
  return NAMES.filter((name) => customAttributes?.[name] === undefined);
}
