import { CliError, EXIT } from '../exit-codes.js';
import type { SandgateClient } from './sandgate-client.js';
import type { Approval, Artifact, Session } from './wire.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SHORT = /^[0-9a-f-]{4,35}$/i;

/** Reads a run by its id, by the end or beginning of one, or by the word `last`. */
export async function findRun(client: SandgateClient, name: string): Promise<Session> {
  return readRun(client, await findRunId(client, name));
}

export async function readRun(client: SandgateClient, id: string): Promise<Session> {
  return (await client.json<{ session: Session }>('GET', `/v1/sessions/${id}`)).session;
}

async function findRunId(client: SandgateClient, name: string): Promise<string> {
  if (UUID.test(name)) return name.toLowerCase();
  if (name !== 'last' && !SHORT.test(name))
    throw new CliError(`"${name.slice(0, 60)}" is not a run: give its id, part of it, or "last"`, EXIT.usage);
  const { sessions } = await client.json<{ sessions: Session[] }>('GET', '/v1/sessions', {
    query: { limit: name === 'last' ? 1 : 1000 },
  });
  const matches = name === 'last' ? sessions : sessions.filter(({ id }) => isPart(id, name.toLowerCase()));
  const [match, other] = matches;
  if (match === undefined)
    throw new CliError(name === 'last' ? 'there is no run yet' : `no run has an id like ${name}`, EXIT.notFound);
  if (other !== undefined)
    throw new CliError(`${matches.length} runs have an id like ${name}; give more of it`, EXIT.usage);
  return match.id;
}

/** Ids begin with the time, so people copy the end as often as the beginning. */
export function isPart(id: string, part: string): boolean {
  return id.startsWith(part) || id.endsWith(part);
}

/** How ids are shown in tables: the end tells runs of the same minute apart. */
export function shortId(id: string): string {
  return id.slice(-12);
}

/** The diff of a run, or null when it has none. */
export async function readDiff(client: SandgateClient, runId: string): Promise<Artifact | null> {
  const { artifacts } = await client.json<{ artifacts: Artifact[] }>('GET', `/v1/sessions/${runId}/artifacts`);
  return artifacts.find((artifact) => artifact.kind === 'diff') ?? null;
}

export async function pendingApprovals(client: SandgateClient, runId?: string): Promise<Approval[]> {
  const path = runId === undefined ? '/v1/approvals' : `/v1/sessions/${runId}/approvals`;
  const { approvals } = await client.json<{ approvals: Approval[] }>('GET', path);
  return approvals.filter((approval) => approval.status === 'pending');
}
