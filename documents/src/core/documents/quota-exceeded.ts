import { DocsvcError } from '../../domain/errors.js';
import type { QuotaConfig } from '../../platform/config/limits.config.js';

type Quotas = Partial<Pick<QuotaConfig, 'documents' | 'storageBytes' | 'openUploads'>>;

/** The refusal for a quota of the organization that the database named. */
export function quotaExceeded(kind: string, quotas: Quotas): DocsvcError {
  const [path, message] = describe(kind, quotas);
  return new DocsvcError('quota_exceeded', message, { details: [{ path, code: 'quota_exceeded', message }] });
}

function describe(kind: string, { documents, storageBytes, openUploads }: Quotas): [string, string] {
  switch (kind) {
    case 'open_uploads':
      return ['', `the organization has ${openUploads} uploads open, which is all it may; complete or abort some`];
    case 'storage_bytes':
      return [
        'sizeBytes',
        `with this the organization would keep more than ${storageBytes} bytes; delete documents first`,
      ];
    case 'documents':
      return ['', `the organization has ${documents} documents, which is all it may; delete some first`];
    default:
      throw new TypeError(`no quota is called ${kind}`);
  }
}
