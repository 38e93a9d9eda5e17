import { createResultDeliveryActivities } from '../activities/result-delivery.activities.js';
import type { ResultDeliveryActivities } from '../activities/run-activities.js';
import { ResultSender } from '../core/deliveries/result-sender.js';
import type { Database } from '../core/record/database.js';
import { createSealer } from '../core/seal/create-sealer.js';
import { SandgateError } from '../domain/errors.js';
import { createHeadSigner } from '../domain/ledger/signed-head.js';
import { publicUrl, requireSetting, type SandgateConfig } from '../platform/config/index.js';
import type { Egress } from '../platform/egress/egress.js';
import type { Logger } from '../platform/telemetry/logger.js';

/** What brings results to their destinations in a worker process. */
export function deliveryActivities(
  config: Pick<SandgateConfig, 'deliveries' | 'http' | 'seal'>,
  { database, egress, log }: { database: Database; egress: Egress; log: Logger },
): ResultDeliveryActivities {
  const { timeoutMs, waitsMs } = config.deliveries;
  const sender = new ResultSender({
    database,
    sealer: createSealer(database, config.seal),
    client: egress.guarded,
    publicUrl: publicUrl(config.http),
    timeoutMs,
    publish: () =>
      Promise.reject(new SandgateError('unavailable', 'this version does not publish results at the code host')),
  });
  const signer = createHeadSigner(requireSetting(config.seal.ledgerKey, 'SERVICE_LEDGER_KEY'));
  return createResultDeliveryActivities({ database, sender, signer, waitsMs, log });
}
