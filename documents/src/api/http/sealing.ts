import { DocsvcError } from '../../domain/errors.js';
import type { DocsvcConfig } from '../../platform/config/index.js';

/** @throws DocsvcError `unavailable` without a key: routes that handle secrets answer 503 then */
export function requireSealKey({ seal }: Pick<DocsvcConfig, 'seal'>): Buffer {
  if (seal.key !== null) return seal.key;
  throw new DocsvcError(
    'unavailable',
    'clients and webhooks need DOCSVC_SEAL_KEY, which this deployment does not have',
  );
}
