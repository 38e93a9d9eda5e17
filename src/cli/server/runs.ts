import { isUuid } from '../../domain/uuid.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { textOf } from './event-data.js';
import { isPart, onlyMatch } from './only-match.js';
import type { SandgateClient } from './sandgate-client.js';
import type { Artifact, Session, UsageTotals } from './wire.js';

const SHORT = /^[0-9a-f-]{4,35}$/i;
const LONGEST_PAGE = 1000;

/** Reads a run by its id, by the end or beginning of one, or by the word `last`. */
export async function findRun(client: SandgateClient, name: string): Promise<Session> {
  return readRun(client, await findRunId(client, name));
}

export async function readRun(client: SandgateClient, id: string): Promise<Session> {
  return (await client.call((api) => api.GET('/v1/sessions/{id}', { params: { path: { id } } }))).session;
}

export function readCost(client: SandgateClient, id: string): Promise<UsageTotals> {
  return client.call((api) => api.GET('/v1/sessions/{id}/cost', { params: { path: { id } } }));
}

async function findRunId(client: SandgateClient, name: string): Promise<string> {
  if (isUuid(name)) return name.toLowerCase();
  if (name !== 'last' && !SHORT.test(name))
    throw new CliError(`"${name.slice(0, 60)}" is not a run: give its id, part of it, or "last"`, EXIT.usage);
  const limit = name === 'last' ? 1 : LONGEST_PAGE;
  const { sessions } = await client.call((api) => api.GET('/v1/sessions', { params: { query: { limit } } }));
  const matches = name === 'last' ? sessions : sessions.filter(({ id }) => isPart(id, name.toLowerCase()));
  return onlyMatch(matches, {
    none: name === 'last' ? 'there is no run yet' : `no run has an id like ${name}`,
    several: `${matches.length} runs have an id like ${name}; give more of it`,
  }).id;
}

/** How ids are shown in tables: the end tells runs of the same minute apart. */
export function shortId(id: string): string {
  return id.slice(-12);
}

export function agentOf(run: Session): string {
  return textOf(run.run_spec, 'agent_name') || run.agent_id;
}

/** What the run was created to work on, as the request wrote it. */
export function workspaceOf(run: Session): Readonly<Record<string, unknown>> {
  const workspace = run.run_spec['workspace'];
  return typeof workspace === 'object' && workspace !== null ? { ...workspace } : {};
}

/** The diff of a run, or null when it has none. */
export async function readDiff(client: SandgateClient, runId: string): Promise<Artifact | null> {
  const { artifacts } = await client.call((api) =>
    api.GET('/v1/sessions/{id}/artifacts', { params: { path: { id: runId } } }),
  );
  return artifacts.find((artifact) => artifact.kind === 'diff') ?? null;
}
