import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finishVersion } from '../../../src/activities/finish-version.js';
import type { IngestDependencies } from '../../../src/activities/ingest-dependencies.js';
import type { AttemptRef } from '../../../src/activities/ingest-steps.js';
import { validateVersion } from '../../../src/activities/validate-version.js';
import { beginIngest } from '../../../src/core/ingest/ingest-moves.js';
import type { IngestEnding } from '../../../src/domain/ingest/ingest-errors.js';
import { DocumentReader } from '../../../src/platform/parsing/document-reader.js';
import { testJail } from '../parsing/jail.js';
import type { UploadBench } from './upload-bench.js';

/** The first and the last step of an ingest, without workflows. */
export class UploadIngest {
  private readonly on: IngestDependencies;

  private constructor(
    private readonly bench: UploadBench,
    private readonly programs: string | null,
  ) {
    this.on = {
      record: bench.place.record,
      store: bench.place.store,
      reader: new DocumentReader(testJail(programs ?? undefined)),
      passwords: { find: () => Promise.resolve(null), forget: () => undefined },
      maxParseBytes: 1_000_000,
      pagesPerMonth: 1_000,
      isFindable: false,
      timing: { heartbeatMs: 1_000, workflowTaskMs: 1_000 },
    };
  }

  /** @param sniffer a program in the place of the one that finds out what a file is */
  static open(bench: UploadBench, sniffer?: string): UploadIngest {
    if (sniffer === undefined) return new UploadIngest(bench, null);
    const programs = mkdtempSync(join(tmpdir(), 'docsvc-programs-'));
    writeFileSync(join(programs, 'sniff.mjs'), sniffer, { mode: 0o644 });
    return new UploadIngest(bench, programs);
  }

  /** Ends a version by what its bytes are found to be, which must not be anything to read. */
  async run(versionId: string): Promise<void> {
    const ref = await this.begin(versionId);
    const validated = await validateVersion(this.on, ref, new AbortController().signal);
    if (validated.next !== 'end') throw new Error(`the version is to go on: ${validated.next}`);
    await finishVersion(this.on, ref, null, validated.ending);
  }

  /** Ends a version as its workflow does when a step did not. */
  async giveUp(versionId: string, code: IngestEnding['code']): Promise<void> {
    await finishVersion(this.on, await this.begin(versionId), null, { status: 'failed', code });
  }

  close(): void {
    if (this.programs !== null) rmSync(this.programs, { recursive: true });
  }

  private async begin(versionId: string): Promise<AttemptRef> {
    const { orgId } = this.bench.organization;
    const subject = await this.on.record.inOrganization(orgId, (tx) => beginIngest(tx, versionId));
    if (subject === null) throw new Error('the version waits for nobody');
    const { isFindable, timing } = this.on;
    const { attempt, projectId } = subject;
    return { orgId, projectId, versionId, attempt, isHashedApart: false, isFindable, timing };
  }
}
