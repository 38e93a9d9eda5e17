import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WAIT_SECS } from '../../../src/cli/server/approvals.js';
import { ADMIN_TOKEN, startApi, type TestApi } from '../../support/api/api.js';
import { ask, newRun } from '../../support/gate/asked-approval.js';
import { until } from '../../support/time/until.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
/** When the server answers the command that waits for its list, and nothing changes. */
const ANSWERED_AFTER_MS = WAIT_SECS * 1000;

let api: TestApi;
let terminal: Terminal;
beforeAll(async () => {
  api = await startApi();
});
afterEach(() => terminal.end());
afterAll(() => api.close());

/** `sandgate approvals --watch`, or another command, on a terminal of its own, which `script` of util-linux makes. */
class Terminal {
  private printed = '';
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly ended: Promise<number | null>;

  constructor(words = 'approvals --watch') {
    const command = `stty cols 100 && exec "${process.execPath}" "${PROGRAM}" ${words}`;
    const env = { ...process.env, SANDGATE_URL: api.url, SANDGATE_TOKEN: ADMIN_TOKEN, TERM: 'xterm' };
    this.child = spawn('script', ['-qfec', command, '/dev/null'], { env });
    this.child.stdout.on('data', (data: Buffer) => (this.printed += data.toString('utf8')));
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
  }

  /** What was printed until then, once it holds the text. */
  async until(text: string): Promise<string> {
    const printed = await until(
      () => this.printed,
      (sofar) => sofar.includes(text),
    );
    expect(printed).toContain(text);
    return printed;
  }

  private count(text: string): number {
    return this.printed.split(text).length - 1;
  }

  type(keys: string): void {
    this.child.stdin.write(keys);
  }

  /** Types something that is not an answer, and waits; several keys at once are not an answer either. */
  async typeAndBeAskedAgain(key: string, question: string): Promise<void> {
    const asked = this.count(question);
    this.type(key);
    expect(
      await until(
        () => this.count(question) > asked,
        (again) => again,
      ),
    ).toBe(true);
  }

  /** Ends it by Ctrl+C, which is typed like any other key; answers its exit code. */
  async end(): Promise<number | null> {
    if (this.child.exitCode === null) this.type('\u0003');
    return this.ended;
  }
}

const KEYS = '[a] once  [s] for this run  [d] deny  [l] leave open: ';
const statusOf = async (id: string) => (await api.get(`/v1/approvals/${id}`)).body.status;

describe('the question on a real terminal', () => {
  it('CP-148 says what each answer covers, and Enter, space and unnamed keys decide nothing', async () => {
    const run = await newRun(api);
    const id = await ask(api, run, { input: { command: 'npm install left-pad' }, keys: ['npm install'] });
    terminal = new Terminal();
    const printed = await terminal.until(KEYS);
    expect(printed.indexOf('this call alone')).toBeLessThan(printed.indexOf('Every `npm install …`'));
    expect(printed).toContain('(npm with the subcommand install)');
    expect(printed).toContain('(made up)');
    for (const key of ['\r', ' ', '\u001b', 'y', 'x']) {
      await terminal.typeAndBeAskedAgain(key, KEYS);
      expect(await statusOf(id)).toBe('pending');
    }
    terminal.type('s');
    await terminal.until(`${id}: approved_session by operator`);
    await terminal.until('for this run: Every `npm install …`');
    expect(await statusOf(id)).toBe('approved_session');
  });

  it('offers no answer for the run where nothing can be granted', async () => {
    const because = '`rm` deletes, overwrites, re-owns or kills';
    const id = await ask(api, await newRun(api), { keys: [], findings: { once_because: because } });
    terminal = new Terminal();
    const keys = '[a] once  [d] deny  [l] leave open: ';
    const printed = await terminal.until(keys);
    expect(printed).toContain('"for this run" counts as once, too: `rm` deletes');
    expect(printed).not.toContain('[s]');
    await terminal.typeAndBeAskedAgain('s', keys);
    terminal.type('a');
    await terminal.until(`${id}: approved_once by operator`);
  });

  it('ends at Ctrl+C, and not when the server answers', async () => {
    const id = await ask(api, await newRun(api));
    terminal = new Terminal();
    await terminal.until(KEYS);
    const pressedAt = Date.now();
    expect(await terminal.end()).toBe(130);
    expect(Date.now() - pressedAt).toBeLessThan(ANSWERED_AFTER_MS / 2);
    await api.post(`/v1/approvals/${id}/decision`, { decision: 'denied' });
  });
});

describe('a run that waits for its network to be authorized', () => {
  it('is asked about where it is followed', async () => {
    const network = { max_mode: 'approved', require_approval: true };
    const yaml = JSON.stringify({ name: 'asking', budgets: { max_wall_clock_secs: 600 }, network });
    await api.post('/v1/policies', { name: 'asking', yaml });
    const targets = ['*.example.org:443'];
    await api.post('/v1/agents', {
      name: 'asking',
      harness: 'replay',
      policy: 'asking',
      network: { mode: 'approved', targets },
    });
    const { session } = (await api.post('/v1/sessions', { agent: 'asking', task: '[]' })).body;
    const [approval] = (await api.get(`/v1/sessions/${session.id}/approvals`)).body.approvals;
    terminal = new Terminal(`watch ${session.id}`);
    const printed = await terminal.until('[a] once  [d] deny  [l] leave open: ');
    expect(printed).toContain('waits for a person to authorize: reach *.example.org:443');
    expect(printed).toContain('this run alone, from its beginning');
    terminal.type('d');
    await terminal.until(`${approval?.id}: denied by operator`);
    expect(await statusOf(approval?.id ?? '')).toBe('denied');
  });
});
