import type { Client } from '@temporalio/client';
import { RUN_SEARCH_ATTRIBUTES, type RunSearchAttribute } from '../../domain/run/search-attributes.js';

const NAMES = Object.keys(RUN_SEARCH_ATTRIBUTES) as RunSearchAttribute[];
/** `temporal.api.enums.v1.IndexedValueType` */
const INDEXED = { Keyword: 2, Int: 3 } as const;

/**
 * Makes sure that the namespace knows the search attributes of runs, and adds those that are missing where that is allowed.
 *
 * @returns names that are still missing; runs then go on without any
 */
export async function ensureSearchAttributes(client: Client, namespace: string): Promise<string[]> {
  const missing = await missingSearchAttributes(client.connection, namespace);
  if (missing.length === 0) return [];
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, INDEXED[RUN_SEARCH_ATTRIBUTES[name]]]));
  try {
    await client.connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
    return [];
  } catch {
    // This login may not add them, or another worker did so in this instant: so it looks at what is there now.
    return missingSearchAttributes(client.connection, namespace);
  }
}

/** The search attributes of runs that the namespace lacks. */
export async function missingSearchAttributes(
  connection: Pick<Client['connection'], 'operatorService'>,
  namespace: string,
): Promise<RunSearchAttribute[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return NAMES.filter((name) => customAttributes?.[name] === undefined);
}
