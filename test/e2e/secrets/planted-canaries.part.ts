import { beforeAll, expect, it } from '@jest/globals';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { byConversation, reply } from '../../../src/cli/demo/wire/model-script.js';
import { startScriptedModel, type ScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import { MAKE_WITHIN_MS } from '../../support/engine/image-store.js';
import type { LiveStack } from '../../support/installation/live-stack.js';
import type { StackDatabase } from '../../support/installation/stack-database.js';
import { makeCanary, placesOf, type Haystack } from './canary-search.js';
import { BELONGS, PLACES, type Place } from './places.js';
import { dumpDatabase, readAnswers, readHistories, readLogs } from './haystacks.js';
import { readScans } from './sandbox-scans.js';
import type { EnterSearched } from './searched-stack.js';

/** Runs that carry every canary; the nightly campaign plays 200. */
export const RUNS = Number(process.env['TEST_CANARY_RUNS'] ?? 2);
const AT_ONCE = 4;

const CANARIES = Object.fromEntries(PLACES.map((place) => [place, makeCanary(place)])) as Record<Place, string>;
export const PROVIDER_KEY = `sk-ant-api03-${makeCanary('key').replaceAll('-', '')}`;
const REFUSED_TASK = 'a task that the provider refuses';

/** More than the one-line summary of a call may hold. */
const PAST_THE_SUMMARY = '# '.padEnd(260, 'x');

/** The model of the runs that carry them; one task it refuses, as a provider would. */
export function startCanaryModel(): Promise<ScriptedModel> {
  const conversation = byConversation([
    reply({ text: CANARIES.narrative }, { tool: 'Read', input: { file_path: '/workspace/notes.txt' } }),
    reply({ tool: 'Bash', input: { command: 'node scan-sandbox.mjs' } }),
    reply({ tool: 'Bash', input: { command: 'cat errors.txt no-such-file >&2' } }),
    reply({ tool: 'Write', input: { file_path: '/workspace/gone.txt', content: CANARIES.input } }),
    reply({ tool: 'Bash', input: { command: 'mv gone.txt /tmp/gone.txt' } }),
    reply({ tool: 'Write', input: { file_path: '/workspace/kept.txt', content: CANARIES.diff } }),
    reply({
      tool: 'Bash',
      input: { command: `sh deploy.sh ${CANARIES.summary} ${PAST_THE_SUMMARY} ${CANARIES.command}` },
    }),
    reply({ text: CANARIES.final }),
  ]);
  return startScriptedModel({
    apiKey: PROVIDER_KEY,
    script: (request) =>
      JSON.stringify(request.body).includes(REFUSED_TASK)
        ? { kind: 'error', status: 400, message: `refused: ${CANARIES.upstream} ${PROVIDER_KEY}` }
        : conversation(request),
  });
}

/** Canaries that are planted in runs occur where they belong and nowhere else. */
export function staysWherePlanted(enter: EnterSearched, modelOf: () => ScriptedModel): void {
  let model: ScriptedModel;
  let stack: LiveStack;
  let folder: string;
  let database: StackDatabase;
  let client: Client;
  let agentId: string;
  let run: string;
  let others: string[];
  let refused: string;
  let histories: Haystack[];
  let logs: Haystack[];
  let columns: Haystack[];
  let answers: Haystack[];
  let pending: { columns: Haystack[]; answers: Haystack[]; operator: Awaited<ReturnType<typeof seeInTemporalWeb>> };

  beforeAll(
    async () => {
      model = modelOf();
      ({ stack, database, temporal: client, folder } = await enter('canaries'));
      plantFiles();
      await playRuns();
      histories = await readHistories(client, stack);
      logs = readLogs(stack);
      columns = await dumpDatabase(database);
      answers = await readAnswers(stack, { run0: [run, ...others], run1: [refused] }, agentId);
    },
    MAKE_WITHIN_MS + RUNS * 15_000,
  );

  function secretsOfTheInstallation(): Record<string, string> {
    const kept = (file: string) => readFileSync(join(stack.dataDir, file), 'utf8').trim();
    const pem = kept('ledger-key.pem').split('\n')[1] ?? '';
    return { provider: PROVIDER_KEY, admin: stack.installation.adminToken, kek: kept('kek'), ledgerKey: pem };
  }

  function plantFiles(): void {
    const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
    put('notes.txt', `${CANARIES.file}\n`);
    put('errors.txt', `${CANARIES.stderr}\n`);
    put('deploy.sh', `printf '%s%s\\n' '${CANARIES.output.slice(0, 9)}' '${CANARIES.output.slice(9)}'\n`);
    copyFileSync(fileURLToPath(new URL('./scan-sandbox.mjs', import.meta.url)), join(folder, 'scan-sandbox.mjs'));
    const { task, system, file } = CANARIES;
    const words = { ...secretsOfTheInstallation(), task, system, file };
    const backwards = Object.entries(words).map(([name, word]) => [name, [...word].reverse().join('')]);
    put('words.json', JSON.stringify(Object.fromEntries(backwards)));
  }

  async function playRuns(): Promise<void> {
    const body = { name: 'canary', harness: 'builtin', policy: 'standard', system_prompt: CANARIES.system };
    agentId = (await stack.json<{ agent: { id: string } }>('POST', '/v1/agents', body)).agent.id;
    const workspace = { kind: 'local_copy', path: folder };
    const start = async (task: string) =>
      (await stack.json<{ session: { id: string } }>('POST', '/v1/sessions', { agent: 'canary', task, workspace }))
        .session.id;
    run = await start(CANARIES.task);
    const approval = await stack.pendingApproval(run);
    pending = {
      columns: await dumpDatabase(database),
      answers: await readAnswers(stack, { run0: [run] }, agentId),
      operator: await seeInTemporalWeb(),
    };
    await stack.decide(approval.id, 'approved_once');
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed' });
    const limit = pLimit(AT_ONCE);
    others = await Promise.all(Array.from({ length: RUNS - 1 }, () => limit(() => playRun(start))));
    refused = await start(REFUSED_TASK);
    expect(await stack.untilTerminal(refused)).toMatchObject({ status: 'failed' });
    await stack.until('the workflows to close', 60_000, async () => {
      const { executions } = await client.workflowService.listOpenWorkflowExecutions({ namespace: 'default' });
      return executions.some((one) => one.execution?.workflowId?.startsWith('run-')) ? undefined : true;
    });
  }

  async function playRun(start: (task: string) => Promise<string>): Promise<string> {
    const id = await start(CANARIES.task);
    await stack.decide((await stack.pendingApproval(id)).id, 'approved_once');
    expect(await stack.untilTerminal(id)).toMatchObject({ status: 'completed' });
    return id;
  }

  /** What an operator sees of the waiting run, without opening code. */
  async function seeInTemporalWeb() {
    const handle = client.workflow.getHandle(`run-${run}`);
    // The workflow hears of the question behind its record.
    const described = await stack.until('the workflow to know of the question', 60_000, async () => {
      const seen = await handle.describe();
      return seen.searchAttributes['SandgatePendingApprovals']?.[0] === 1 ? seen : undefined;
    });
    const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    const { events } = await handle.fetchHistory();
    const summaries = (events ?? [])
      .map((event) => event.userMetadata?.summary?.data)
      .filter((data) => data !== undefined && data !== null)
      .map((data) => JSON.parse(Buffer.from(data).toString()) as string);
    return {
      workflowId: described.workflowId,
      summary: await described.staticSummary(),
      attributes: described.searchAttributes,
      details: metadata.currentDetails,
      phase: await handle.query<string>('phase'),
      summaries,
    };
  }

  const everywhere = (): Haystack[] => [...histories, ...logs, ...columns, ...answers];
  const toolResults = (): Haystack[] =>
    model.requests.map((request) => ({
      name: `request ${request.index}`,
      bytes: Buffer.from(JSON.stringify(request.body)),
    }));

  it('the search finds each canary where it was planted', () => {
    const { task, system, narrative, final, command, input, file, output, stderr, diff, upstream } = CANARIES;
    const reachedTheModel = [task, system, file, output, stderr, narrative, command, input];
    for (const canary of reachedTheModel)
      expect({ canary, places: placesOf(canary, toolResults()) }).not.toMatchObject({ places: [] });
    expect(placesOf(diff, columns)).toContain('artifacts.content');
    for (const canary of [narrative, final]) expect(placesOf(canary, columns)).toContain('events.payload');
    expect(placesOf(upstream, columns)).not.toEqual([]);
    expect(placesOf(run, histories).length).toBeGreaterThan(1);
    expect(placesOf(run, histories).some((place) => place.startsWith('store temporal.db'))).toBe(true);
    expect(placesOf(run, logs)).not.toEqual([]);
    expect(
      model.requests.every((request) => Object.values(request.headers).some((value) => value.includes(PROVIDER_KEY))),
    ).toBe(true);
    const hidden = Buffer.from(`xx${task}yy`).toString('base64');
    expect(placesOf(task, [{ name: 'base64', bytes: Buffer.from(hidden) }])).toEqual(['base64']);
  });

  it('CP-022 no history of Temporal and no log holds any of them', () => {
    for (const canary of [...Object.values(CANARIES), ...Object.values(secretsOfTheInstallation())]) {
      expect({ canary, places: placesOf(canary, [...histories, ...logs]) }).toEqual({ canary, places: [] });
    }
  });

  it('a launch that fails leaves no word of its failure in a history', async () => {
    const lost = makeCanary('clone');
    const workspace = { kind: 'git_repository', clone_url: `file://${folder}/${lost}` };
    const body = { agent: 'canary', task: 'never begins', workspace };
    const { session } = await stack.json<{ session: { id: string } }>('POST', '/v1/sessions', body);
    expect(await stack.untilTerminal(session.id)).toMatchObject({ status: 'failed' });
    expect(placesOf(lost, await dumpDatabase(database))).toContain('sessions.repo_source');
    expect(placesOf(lost, await readHistories(client, stack))).toEqual([]);
  }, 180_000);

  it('CP-022 the ledger holds narrative and one-line summaries, and nothing else of what was said, read or written', () => {
    const ledger = columns.filter(({ name }) => name.startsWith('events.'));
    const inLedger = PLACES.filter((place) => placesOf(CANARIES[place], ledger).length > 0);
    expect(inLedger.toSorted()).toEqual(['final', 'narrative', 'summary', 'upstream']);
  });

  it('each rests in the columns that are meant for it, and is answered by the routes that are meant for it', () => {
    const seen = PLACES.map((place) => [
      place,
      {
        columns: placesOf(CANARIES[place], columns).toSorted(),
        answers: placesOf(CANARIES[place], answers).toSorted(),
      },
    ]);
    expect(Object.fromEntries(seen)).toEqual(BELONGS);
  });

  it('the input of a waiting call rests sealed and is shown to who may decide', () => {
    expect(placesOf(CANARIES.command, pending.columns)).toEqual([]);
    expect(placesOf(CANARIES.command, pending.answers)).toEqual([
      'GET /v1/approvals',
      'GET /v1/sessions/run0/approvals',
    ]);
  });

  it('what policy read of every call rests, and rests sealed', async () => {
    const rows = await database.query<{ calls: number; views: number; sealed: number }>(
      `select count(*)::int as calls, count(p.sealed)::int as views, count(*) filter (where p.key_version = 2)::int as sealed
         from approvals a left join tool_call_payloads p
           on p.session_id = a.session_id and p.tool_call_id = a.tool_call_id and p.kind = 'policy_view'
        where a.session_id = $1`,
      [run],
    );
    expect(rows[0]?.calls).toBeGreaterThan(5);
    expect(rows[0]).toEqual({ calls: rows[0]?.calls, views: rows[0]?.calls, sealed: rows[0]?.calls });
  });

  it('keys and tokens rest nowhere but in their files, tokens of runs as digests alone', async () => {
    for (const [name, secret] of Object.entries(secretsOfTheInstallation())) {
      expect({ name, places: placesOf(secret, everywhere()) }).toEqual({ name, places: [] });
    }
    const shape = /svc_sess_[0-9a-f]{64}/;
    expect(everywhere().filter(({ bytes }) => shape.test(bytes.toString('latin1')))).toEqual([]);
    const rows = await database.query<{ count: string }>('select count(*) from api_tokens where session_id = $1', [
      run,
    ]);
    expect(Number(rows[0]?.count)).toBe(4);
  });

  it('every sandbox holds its own files and none of what stays outside', () => {
    const scans = readScans(model);
    expect(scans.length).toBeGreaterThanOrEqual(RUNS);
    for (const { files, processes, found } of scans) {
      expect(files).toBeGreaterThan(5);
      expect(processes).toBeGreaterThan(1);
      // The baseline that the diff is taken against holds what the workspace held.
      expect(found.filter((one) => !one.startsWith('file@/workspace/.git/'))).toEqual(['file@/workspace/notes.txt']);
    }
  });

  it('a run can be followed in Temporal Web', () => {
    const { operator } = pending;
    expect(operator.workflowId).toBe(`run-${run}`);
    expect(operator.summary).toContain(run);
    expect(operator.attributes).toMatchObject({
      SandgateOrg: ['default'],
      SandgateAgent: ['canary'],
      SandgateStatus: ['awaiting_approval'],
      SandgatePendingApprovals: [1],
    });
    expect(operator.details).toBe('Waits for a human to decide 1 tool call.');
    expect(operator.phase).toBe(operator.details);
    expect(operator.summaries).toEqual(
      expect.arrayContaining(['Prepare the workspace and start the sandbox', 'Supervise the sandbox']),
    );
  });
}
