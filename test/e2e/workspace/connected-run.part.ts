import { beforeAll, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { Schemas } from '../../../src/client/client.js';
import type { CodeHost } from '../../support/codehost/code-host.js';
import { RestApi } from '../../support/codehost/rest-api.js';
import type { LiveStack } from '../../support/installation/live-stack.js';
import type { StackDatabase } from '../../support/installation/stack-database.js';
import { eventsOf } from '../../support/installation/timeline.js';
import { makeCanary, placesOf } from '../secrets/canary-search.js';
import { dumpDatabase, readAnswers, readHistories, readLogs } from '../secrets/haystacks.js';
import type { EnterSearched } from '../secrets/searched-stack.js';
import { git } from './support.js';

const TOKEN = `ghp_${makeCanary('personal').replaceAll('-', '')}`;
/** What an agent could find of a credential: its environment, all that it may read of processes, and its files. */
const LOOK =
  '{ env; cat /proc/*/environ /proc/*/cmdline; grep -ra "" /workspace/.git /tmp /run/sandgate; } 2>/dev/null | tr -c "[:print:]\\n" " " > /workspace/look.txt';

/** A run on a repository that a connection fetches. */
export function fetchesWithConnection(enter: EnterSearched, hostOf: () => CodeHost): void {
  let host: CodeHost;
  let stack: LiveStack;
  let database: StackDatabase;
  let temporal: Client;
  let agentId: string;
  let connectionId: string;
  let base: string;
  const runs: string[] = [];
  beforeAll(async () => {
    host = hostOf();
    const searched = await enter('published');
    ({ stack, database, temporal } = searched);
    const { folder } = searched;
    writeFileSync(join(folder, 'a.txt'), 'one\n');
    git(folder, ['init', '-q']);
    git(folder, ['add', '-A']);
    git(folder, ['commit', '-q', '-m', 'x']);
    base = git(folder, ['rev-parse', 'HEAD']).trim();
    host.publish(folder, 'acme/private');
    const rest = new RestApi(host.tokens);
    host.interfere = [rest.serve];
    rest.addAccount(TOKEN, { id: 1, login: 'octo', scopes: 'repo' });
    await stack.createReplayAgent('fetcher', 'unrestricted');
    agentId = (await stack.json<{ agents: { id: string; name: string }[] }>('GET', '/v1/agents')).agents.find(
      ({ name }) => name === 'fetcher',
    )?.id as string;
    const body = { provider: 'codehost', token: TOKEN };
    connectionId = (await stack.json<{ id: string }>('POST', '/v1/connections', body)).id;
  });

  async function start(workspace: object, steps: object[] = [{ say: 'done' }]): Promise<string> {
    const run = await stack.startRun('fetcher', steps, { workspace: { kind: 'git_repository', ...workspace } });
    runs.push(run);
    return run;
  }

  const dataOf = async (run: string, type: string) => eventsOf(await stack.timeline(run), type);

  it('CP-072 works on what the connection fetched, and binds it with its authority', async () => {
    const steps = [
      { tool: 'Bash', input: { command: LOOK } },
      { tool: 'Write', input: { file_path: '/workspace/b.txt', content: 'two\n' } },
      { say: 'done' },
    ];
    const run = await start({ repository: 'acme/private', connection_id: connectionId }, steps);
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed', base_commit: base });
    expect(await dataOf(run, 'workspace.initialized')).toEqual([
      expect.objectContaining({ base_commit: base, files: 1, repo: `${host.url()}/acme/private` }),
    ]);
    const rows = await database.query('select * from run_resource_bindings where session_id = $1', [run]);
    expect(rows).toMatchObject([
      {
        slot_kind: 'workspace_fetch',
        requirement_slot: 'workspace',
        authority_kind: 'connection',
        connection_id: connectionId,
        resource_scope: { url: `${host.url()}/acme/private`, ref: null, commit: null },
      },
    ]);
    const { session } = await stack.json<{ session: Schemas['SessionView'] }>('GET', `/v1/sessions/${run}`);
    expect(session.repo_source).toMatchObject({ binding_id: (rows[0] as { id: string }).id });
  });

  it('an unknown connection, and a private repository without one, say what is wrong', async () => {
    const workspace = { kind: 'git_repository', repository: 'acme/private', connection_id: agentId };
    const refused = await stack.request('POST', '/v1/sessions', { agent: 'fetcher', task: '[]', workspace });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('unknown connection')]);
    const run = await start({ clone_url: `${host.url()}/acme/private` });
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'failed' });
    expect(JSON.stringify(await dataOf(run, 'run.error'))).toContain('name a connection (workspace.connection_id)');
  });

  it('CP-289 the token is in no row in clear, no history, no log, no answer, no event and no file of an agent', async () => {
    const histories = await readHistories(temporal, stack);
    const [columns, answers] = [await dumpDatabase(database), await readAnswers(stack, { run: runs }, agentId)];
    const everywhere = [...histories, ...readLogs(stack), ...columns, ...answers];
    expect(placesOf(connectionId, columns)).not.toEqual([]);
    // What the agent found is in its diff.
    expect(placesOf('ref: refs/heads/service-work', columns)).toContain('artifacts.content');
    expect(placesOf(runs[0] ?? '', histories)).not.toEqual([]);
    expect(placesOf(TOKEN, everywhere)).toEqual([]);
  });
}
