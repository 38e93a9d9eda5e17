import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { v7 as uuidv7 } from 'uuid';
import type { JsonObject } from '../../src/domain/json.js';
import { createGatedRun, type GatedRunOptions } from '../support/gate/gated-run.js';
import type { FixtureOrganization, FixtureRun } from '../support/runs/run-fixture.js';
import type { BenchStack } from './bench-stack.js';

/** A host that is offline: the workflow waits for it and leaves these runs alone while a row is measured. */
const ABSENT_HOST = uuidv7();

/** The organization of the installation itself, so that its administrator sees the runs. */
export async function defaultOrganization(stack: BenchStack): Promise<FixtureOrganization> {
  const { rows } = await stack.owner.query<FixtureOrganization>(
    `select o.id as "organizationId", a.id as "agentId", r.id as "revisionId", r.policy_id as "policyId"
       from tenants o join agents a on a.tenant_id = o.id join agent_revisions r on r.agent_id = a.id
      where o.slug = 'default' order by r.rev limit 1`,
  );
  if (rows[0] === undefined) throw new Error('the installation has no agent');
  return rows[0];
}

/** Runs with a whole frozen specification and live tokens, whose runner is the benchmark itself. */
export async function prepareRuns(stack: BenchStack, count: number, options: GatedRunOptions): Promise<FixtureRun[]> {
  const organization = options.in ?? (await defaultOrganization(stack));
  const runs: FixtureRun[] = [];
  for (let index = 0; index < count; index += 1) {
    runs.push(await createGatedRun(stack.db, { ...options, in: organization, hostId: ABSENT_HOST }));
  }
  return runs;
}

/** Ends prepared runs on the record, so that no later row has them around. */
export async function retireRuns(stack: BenchStack, runs: FixtureRun[]): Promise<void> {
  await stack.owner.query(
    `update sessions set status = 'cancelled', status_reason = 'bench', finished_at = now()
      where id = any($1) and not svc_is_terminal(status)`,
    [idsOf(runs)],
  );
}

/** A seeded policy, as a run freezes it. */
export function seededPolicy(name: string): JsonObject {
  const path = new URL(`../../policies/${name}.yaml`, import.meta.url);
  return parse(readFileSync(path, 'utf8')) as JsonObject;
}

/** Whether seq is gapless from 1 on, for each run. @returns events counted */
export async function countGaplessEvents(stack: BenchStack, runs: FixtureRun[]): Promise<number> {
  const { rows } = await stack.owner.query<{ events: string; last: string }>(
    `select count(*) as events, max(seq) as last from events where session_id = any($1) group by session_id`,
    [idsOf(runs)],
  );
  if (rows.some((row) => row.events !== row.last)) throw new Error('a ledger has a gap');
  return rows.reduce((sum, row) => sum + Number(row.events), 0);
}

function idsOf(runs: FixtureRun[]): string[] {
  return runs.map((run) => run.runId);
}
