import { createResultDeliveryActivities } from '../activities/result-delivery.activities.js';
import type { ResultDeliveryActivities } from '../activities/run-activities.js';
import type { Codehost } from '../core/codehost/codehost.js';
import { publishResult } from '../core/deliveries/publish-result.js';
import { ResultSender } from '../core/deliveries/result-sender.js';
import type { Database } from '../core/record/database.js';
import { createSealer } from '../core/seal/create-sealer.js';
import { createHeadSigner } from '../domain/ledger/signed-head.js';
import { publicUrl, requireSetting, type SandgateConfig } from '../platform/config/index.js';
import type { Egress } from '../platform/egress/egress.js';
import type { Logger } from '../platform/telemetry/logger.js';

/** What brings results to their destinations in a worker process. */
export function deliveryActivities(
  config: Pick<SandgateConfig, 'deliveries' | 'http' | 'seal'>,
  { database, egress, codehost, log }: { database: Database; egress: Egress; codehost: Codehost; log: Logger },
): ResultDeliveryActivities {
  const { timeoutMs, waitsMs } = config.deliveries;
  const sender = new ResultSender({
    database,
    sealer: createSealer(database, config.seal),
    client: egress.guarded,
    publicUrl: publicUrl(config.http),
    timeoutMs,
    publish: (publication) => publishResult({ database, codehost }, publication),
  });
  const signer = createHeadSigner(requireSetting(config.seal.ledgerKey, 'SERVICE_LEDGER_KEY'));
  return createResultDeliveryActivities({ database, sender, signer, waitsMs, log });
}
