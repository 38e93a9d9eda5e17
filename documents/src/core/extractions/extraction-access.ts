import { DocsvcError } from '../../domain/errors.js';
import type { Caller } from '../access/caller.js';
import { requireProject } from '../projects/project-access.js';
import type { RecordTransaction } from '../record/record.js';
import { ExtractionEntity } from './extraction.entity.js';

const ABSENT = 'no such extraction';

/**
 * The run of that id.
 *
 * @throws DocsvcError `not_found` for one that is absent, of another organization, or of a project that the credential may not use
 */
export async function requireExtraction(tx: RecordTransaction, caller: Caller, id: string): Promise<ExtractionEntity> {
  const run = await tx.manager.findOneBy(ExtractionEntity, { id });
  if (run === null) throw new DocsvcError('not_found', ABSENT);
  await requireProject(tx, caller, run.project_id, ABSENT);
  return run;
}
