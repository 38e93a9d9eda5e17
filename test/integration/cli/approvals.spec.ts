import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CliError } from '../../../src/cli/terminal/exit-codes.js';
import { buildProgram } from '../../../src/cli/program.js';
import { ADMIN_TOKEN, startApi, type TestApi } from '../../support/api/api.js';
import { ask, newRun } from '../../support/gate/asked-approval.js';
import { HOSTILE } from '../../support/texts/hostile-texts.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { until } from '../../support/time/until.js';

let api: TestApi;
let run: FixtureRun;
let stdout = '';
const earlier = { url: process.env['SANDGATE_URL'], token: process.env['SANDGATE_TOKEN'] };

beforeAll(async () => {
  api = await startApi();
  process.env['SANDGATE_URL'] = api.url;
  process.env['SANDGATE_TOKEN'] = ADMIN_TOKEN;
});
afterAll(async () => {
  process.env['SANDGATE_URL'] = earlier.url ?? '';
  process.env['SANDGATE_TOKEN'] = earlier.token ?? '';
  await api.close();
});
beforeEach(async () => {
  run = await newRun(api);
  stdout = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((stdout += String(text)), true));
});
afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = undefined;
});

/** The command in this process; answers how it would exit. */
async function cli(...argv: string[]): Promise<number> {
  try {
    await buildProgram().parseAsync(['node', 'sandgate', ...argv]);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CliError) return error.exitCode;
    throw error;
  }
}

async function untilPrinted(text: string): Promise<void> {
  expect(
    await until(
      () => stdout,
      (printed) => printed.includes(text),
    ),
  ).toContain(text);
}

const lines = (): string[] => stdout.split('\n').filter((line) => line !== '');

describe('sandgate approvals --watch on a pipe', () => {
  it('prints a line for what becomes pending and for what is settled, as it happens', async () => {
    const first = await ask(api, run, { input: { command: 'git push' } });
    const watching = cli('approvals', '--watch');
    await untilPrinted(`pending ${first}`);
    const second = await ask(api, run);
    await untilPrinted(`pending ${second}`);
    await api.post(`/v1/approvals/${first}/decision`, { decision: 'approved_once' });
    await untilPrinted(`approved_once ${first} by operator`);
    process.emit('SIGINT');
    expect(await watching).toBe(130);
    expect(lines().map((line) => line.split(' ').slice(0, 2))).toEqual([
      ['pending', first],
      ['pending', second],
      ['approved_once', first],
    ]);
    expect(lines()[0]).toMatch(/rule 1 \d+ min \d+ s left: Bash: git push \(for this run: git push\)$/);
    await cli('deny', second);
  });

  it('as JSON is one document a line, with the explanation', async () => {
    const watching = cli('-o', 'json', 'approvals', run.runId, '--watch');
    const id = await ask(api, run);
    await untilPrinted(id);
    await cli('deny', id);
    await untilPrinted('"denied"');
    process.emit('SIGINT');
    await watching;
    const documents = lines()
      .filter((line) => line.startsWith('{"'))
      .map((line) => JSON.parse(line) as { id: string; status: string; explanation: { rule: number } });
    expect(documents.map(({ id: of, status, explanation }) => [of, status, explanation.rule])).toEqual([
      [id, 'pending', 1],
      [id, 'denied', 1],
    ]);
  });

  it('a hostile call takes one line and steers nothing', async () => {
    const watching = cli('approvals', '--watch');
    for (const [, text] of HOSTILE) {
      const storable = text.replaceAll('\0', '').toWellFormed();
      const id = await ask(api, run, { input: { command: text } });
      await api.database.owner.query('update approvals set summary = $2, tool = $2 where id = $1', [id, storable]);
      await api.post(`/v1/approvals/${id}/decision`, { decision: 'denied' });
    }
    const id = await ask(api, run);
    await untilPrinted(`pending ${id}`);
    process.emit('SIGINT');
    await watching;
    for (const line of lines()) expect(line).toMatch(/^(pending|denied) [0-9a-f-]{36} /);
    // eslint-disable-next-line no-control-regex -- the point of the test
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\ufeff]/);
    await cli('deny', id);
  });
});

describe('sandgate approvals show, approve and deny', () => {
  it('shows everything about one, pending and settled', async () => {
    const id = await ask(api, run, {
      input: { command: 'sh deploy.sh\ngit status', id: 1 },
      findings: {
        subject: 'sh deploy.sh',
        cwd: null,
        parts: [{ text: 'sh deploy.sh', kind: 'command', subject: 'sh', covered_by: null }],
        parts_omitted: 0,
      },
    });
    expect(await cli('approvals', 'show', id.slice(-12))).toBe(0);
    expect(stdout).toContain('══ APPROVAL NEEDED ══');
    for (const shown of ['tools[1]', '│ sh deploy.sh', '│ git status', 'not covered:', id])
      expect(stdout).toContain(shown);
    await cli('deny', id);
    stdout = '';
    expect(await cli('approvals', 'show', id)).toBe(0);
    expect(stdout).toContain('denied by operator');
    expect(stdout).not.toContain('│ git status');
    expect(await cli('approvals', 'show', 'ffffffff')).toBe(3);
  });

  it('--session on a call without keys counts once, says so and is no conflict', async () => {
    const id = await ask(api, run, { keys: [] });
    expect(await cli('approve', '--session', id)).toBe(0);
    expect(stdout).toContain('approved_once by operator (recorded as approved_once');
  });

  it('a late decision says how it was settled and fails', async () => {
    const id = await ask(api, run);
    expect(await cli('approve', id)).toBe(0);
    expect(await cli('deny', id)).toBe(5);
    expect(stdout).toContain(`${id}: approved_once by operator`);
  });
});
