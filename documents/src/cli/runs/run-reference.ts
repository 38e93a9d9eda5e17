import { isUuid } from '../../../../src/domain/uuid.js';
import type { CliContext } from '../context/cli-context.js';
import type { Schemas } from '../server/schemas.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';

/** A run as the API answers it. */
export type Run = Schemas['ExtractionView'];

/** The address of the runs of the project that is in use. */
export function runsPath({ project }: CliContext): string {
  return `/api/v2/projects/${encodeURIComponent(project)}/extractions`;
}

/** The address of a run. */
export function runPath(id: string): string {
  return `/api/v2/extractions/${encodeURIComponent(id)}`;
}

/** The run that the project has under an external id; undefined where there is none. */
export async function findRun(context: CliContext, externalId: string): Promise<Run | undefined> {
  const [run] = await context.api.rows<Run>(runsPath(context), { externalId }, 1);
  return run;
}

/** The id of a run that somebody named by its id, or by its external id in the project. @throws CliError `notFound` */
export async function runId(context: CliContext, named: string): Promise<string> {
  if (isUuid(named)) return named;
  const run = await findRun(context, named);
  if (run === undefined) throw new CliError(`the project has no run with the external id ${named}`, EXIT.notFound);
  return run.id;
}
