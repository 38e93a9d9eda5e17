import type { RecordTransaction } from './record.js';

const COUNTED_BY = {
  projects: 'select * from docsvc_count_projects($1)',
  documents: 'select * from docsvc_count_documents($1)',
};

/** What each of some rows holds; rows that hold nothing count zero. */
export async function countHeld(
  tx: RecordTransaction,
  what: keyof typeof COUNTED_BY,
  ids: string[],
): Promise<(id: string) => number> {
  const rows = await tx.query<{ id: string; amount: number }>(COUNTED_BY[what], [ids]);
  const amounts = new Map(rows.map(({ id, amount }) => [id, amount]));
  return (id) => amounts.get(id) ?? 0;
}
