import type { RecordTransaction } from './record.js';

/**
 * What each of some rows holds; rows that hold nothing count zero.
 *
 * @param of the function that counts
 */
export async function countHeld(
  tx: RecordTransaction,
  of: 'docsvc_count_projects' | 'docsvc_count_documents',
  ids: string[],
): Promise<(id: string) => number> {
  const rows = await tx.query<{ id: string; amount: number }>(`select * from ${of}($1)`, [ids]);
  const amounts = new Map(rows.map(({ id, amount }) => [id, amount]));
  return (id) => amounts.get(id) ?? 0;
}
