import { Injectable } from '@nestjs/common';
import { SandgateError } from '../../domain/errors.js';
import { createHeadSigner, type HeadSigner } from '../../domain/ledger/signed-head.js';
import { Database } from '../../core/record/database.js';
import { exportLedger } from '../../core/ledger/ledger-heads.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { requireVisible } from '../../core/runs/visible-runs.js';
import type { Principal } from '../auth/principal.js';
import { runViewerOf } from '../auth/run-viewer.js';
import type { LedgerKeyView } from './audit.dto.js';

/** Exports ledgers with signed heads (docs/design/events.md). */
@Injectable()
export class AuditService {
  private readonly signer: (HeadSigner & { publicKeyPem: string }) | null;

  constructor(
    private readonly database: Database,
    config: ApiConfig,
  ) {
    this.signer = config.seal.ledgerKey === null ? null : createHeadSigner(config.seal.ledgerKey);
  }

  /** The lines of the export; the run is looked for before the first of them. @throws SandgateError `not_found` */
  async export(principal: Principal, runId: string): Promise<AsyncGenerator<string>> {
    const signer = this.requireSigner();
    const { organizationId } = principal;
    await this.database.withTenant(organizationId, (tx) => requireVisible(tx, runViewerOf(principal), runId));
    return endLines(exportLedger(this.database, organizationId, runId, signer));
  }

  publicKey(): LedgerKeyView {
    const signer = this.requireSigner();
    return { key_id: signer.keyId, algorithm: 'Ed25519', public_key: signer.publicKeyPem };
  }

  private requireSigner(): HeadSigner & { publicKeyPem: string } {
    if (this.signer !== null) return this.signer;
    throw new SandgateError('unavailable', 'no ledger key is configured: set SERVICE_LEDGER_KEY');
  }
}

async function* endLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
