import type { Client } from '@temporalio/client';

/** `temporal.api.enums.v1.IndexedValueType` */
const INDEXED = { Keyword: 2, Int: 3 } as const;

/** What operators search runs by (00-design §2). */
const RUN_ATTRIBUTES: Record<string, keyof typeof INDEXED> = {
  SandgateOrg: 'Keyword',
  SandgateAgent: 'Keyword',
  SandgateStatus: 'Keyword',
  SandgatePendingApprovals: 'Int',
};

/**
 * Makes sure that the namespace knows the search attributes of runs, and adds those that are missing where that is allowed.
 *
 * @returns names that are still missing; runs then go on without any
 */
export async function ensureSearchAttributes(client: Client, namespace: string): Promise<string[]> {
  const missing = await missingAttributes(client, namespace);
  if (missing.length === 0) return [];
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, INDEXED[RUN_ATTRIBUTES[name] ?? 'Keyword']]));
  try {
    await client.connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
    return [];
  } catch {
    // This login may not add them, or another worker did so in this instant: what counts is what is there now.
    return missingAttributes(client, namespace);
  }
}

async function missingAttributes(client: Client, namespace: string): Promise<string[]> {
  const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
  return Object.keys(RUN_ATTRIBUTES).filter((name) => customAttributes?.[name] === undefined);
}
