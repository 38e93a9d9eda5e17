import type { DocsvcConfig } from '../../platform/config/index.js';
import type { RecordTransaction } from '../record/record.js';
import { UsageCounterEntity, type UsageKind } from './usage-counter.entity.js';

/** From this share of a quota on, usage warns. */
const WARN_FROM = 0.8;
const NOT_BY_MONTH = '1970-01-01';

/** One thing that is counted, and how far it may go. */
export interface UsageOf {
  kind: 'storageBytes' | 'documents' | 'pagesThisMonth';
  used: number;
  limit: number;
  /** Whether less than a fifth is left. */
  warning: boolean;
}

/** What the organization of the transaction uses of its quotas; months are those of UTC. */
export async function readUsage(tx: RecordTransaction, quotas: DocsvcConfig['quotas'], now: Date): Promise<UsageOf[]> {
  const counters = await tx.manager.find(UsageCounterEntity);
  const month = `${now.toISOString().slice(0, 7)}-01`;
  const usedOf = (kind: UsageKind, period: string): number =>
    Number(counters.find((one) => one.kind === kind && one.period === period)?.amount ?? 0);
  return [
    usage('storageBytes', usedOf('storage_bytes', NOT_BY_MONTH), quotas.storageBytes),
    usage('documents', usedOf('documents', NOT_BY_MONTH), quotas.documents),
    usage('pagesThisMonth', usedOf('pages', month), quotas.pagesPerMonth),
  ];
}

function usage(kind: UsageOf['kind'], used: number, limit: number): UsageOf {
  return { kind, used, limit, warning: used >= WARN_FROM * limit };
}
