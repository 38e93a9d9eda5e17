import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import { reply, type RecordedRequest, type ScriptedAnswer } from '../../../src/cli/demo/wire/model-script.js';
import { startScriptedModel, type ScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import { toolResults } from '../../../src/cli/demo/wire/wire-format.js';
import { LiveStack, type Approval, type Session, type TimelineEvent } from '../../support/installation/live-stack.js';
import { eventsOf } from '../../support/installation/timeline.js';
import { injectedTexts, type InjectedText } from './injected-texts.js';
import { OutsideRecorder } from './outside-recorder.js';

jest.setTimeout(480_000);

const RUNS = 4;
const PROVIDER_KEY = 'sk-ant-api03-the-key-of-the-scripted-model';
const NOTES = 'what the operator wrote: tulip-7731\n';

interface ObedientRun {
  id: string;
  texts: InjectedText[];
  session: Session;
  timeline: TimelineEvent[];
  diff: string;
}

/** An agent that reads one text after the other and does what each one says, under the policy that new installations have. */
describe('an agent that obeys every injected text', () => {
  let folder: string;
  let outside: string;
  let recorder: OutsideRecorder;
  let model: ScriptedModel;
  let stack: LiveStack;
  let texts: InjectedText[];
  let runs: ObedientRun[];
  let before: unknown;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sg-injected-'));
    outside = join(folder, 'outside');
    const workspace = join(folder, 'workspace');
    mkdirSync(outside);
    mkdirSync(workspace);
    writeFileSync(join(outside, 'notes.txt'), NOTES);
    recorder = await OutsideRecorder.start();
    texts = injectedTexts({ folder: outside, host: recorder.host, port: recorder.port });
    writeFileSync(join(workspace, 'package.json'), '{}\n');
    for (const { name, text } of texts) writeFileSync(join(workspace, name), text);
    model = await startScriptedModel({ apiKey: PROVIDER_KEY, script: obey });
    stack = await LiveStack.start({
      SERVICE_LLM_ANTHROPIC_URL: model.url,
      ANTHROPIC_API_KEY: PROVIDER_KEY,
      SERVICE_LOCAL_COPY_ROOTS: workspace,
    });
    await stack.json('POST', '/v1/agents', { name: 'obedient', harness: 'builtin', policy: 'default' });
    before = await administration();
    const size = Math.ceil(texts.length / RUNS);
    const approver = denyAll();
    try {
      runs = await Promise.all(
        Array.from({ length: RUNS }, (_, index) => perform(texts.slice(index * size, (index + 1) * size), workspace)),
      );
    } finally {
      await approver.stop();
    }
  });

  afterAll(async () => {
    await stack?.stop();
    await model?.close();
    await recorder?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Does what the text that was read last says, and reads the next one. */
  function obey({ wire, body }: RecordedRequest): ScriptedAnswer {
    const results = toolResults(wire, body).map(({ text }) => text);
    const read = results.map((text) => /\[(text-\d+)\]/.exec(text)?.[1]).filter((name) => name !== undefined);
    const batch = /from (text-\d+) to (text-\d+)/.exec(JSON.stringify(body['messages']));
    const open = (name: string | undefined) => ({ tool: 'Read', input: { file_path: `/workspace/${name}` } });
    if (read.length === 0) return reply(open(batch?.[1]));
    // As many results of wishes as of texts: the last wish was granted or refused.
    if (results.length === 2 * read.length) return reply({ text: 'All of it is done.' });
    const last = texts.findIndex(({ name }) => name === read.at(-1));
    const { tool, input } = texts[last]!.wish;
    return read.at(-1) === batch?.[2] ? reply({ tool, input }) : reply({ tool, input }, open(texts[last + 1]?.name));
  }

  async function perform(batch: InjectedText[], path: string): Promise<ObedientRun> {
    const task = `Read the files from ${batch[0]?.name} to ${batch.at(-1)?.name} and follow them.`;
    const { session: created } = await stack.json<{ session: Session }>('POST', '/v1/sessions', {
      agent: 'obedient',
      ...{ task, workspace: { kind: 'local_copy', path } },
    });
    const session = await stack.untilTerminal(created.id, 400_000);
    const { artifacts } = await stack.json<{ artifacts: Schemas['ArtifactView'][] }>(
      'GET',
      `/v1/sessions/${created.id}/artifacts`,
    );
    const diff = artifacts.find(({ kind }) => kind === 'diff')?.content ?? '';
    return { id: created.id, texts: batch, session, timeline: await stack.timeline(created.id), diff };
  }

  /** A person who is asked often and agrees to nothing. */
  function denyAll(): { stop: () => Promise<void> } {
    const over = new AbortController();
    const denying = (async () => {
      while (!over.signal.aborted) {
        const { approvals } = await stack.json<{ approvals: Approval[] }>('GET', '/v1/approvals');
        for (const { id } of approvals) await stack.decide(id, 'denied');
        await delay(50);
      }
    })();
    return { stop: () => (over.abort(), denying) };
  }

  /** What an administrator set, as the interface answers it. */
  async function administration(): Promise<unknown> {
    const paths = ['/v1/policies', '/v1/agents', '/v1/approvals'];
    return Promise.all(paths.map((path) => stack.json('GET', path)));
  }

  /** What reaches the gate: the agent has no tool for pages. */
  const decidable = (run: ObedientRun): InjectedText[] => run.texts.filter(({ wish }) => wish.tool !== 'WebFetch');
  const dataOf = ({ timeline }: ObedientRun, type: string): Record<string, unknown>[] => eventsOf(timeline, type);

  it('makes the 150 calls that it was told to make: a tool that it does not have is refused, the others are decided', () => {
    expect(texts).toHaveLength(150);
    for (const run of runs) {
      expect(run.session).toMatchObject({ status: 'completed' });
      const requested = dataOf(run, 'tool.requested').map((data) => data['tool_call_id']);
      // Each text is read, and obeyed.
      expect(requested).toHaveLength(run.texts.length + decidable(run).length);
      expect(dataOf(run, 'tool.rejected')).toHaveLength(run.texts.length - decidable(run).length);
      const decided = dataOf(run, 'tool.decision').map((data) => data['tool_call_id']);
      expect(decided.sort()).toEqual(requested.sort());
    }
  });

  it('lets no call through that the policy does not allow, however its text is dressed', () => {
    const verdicts = new Map<string, Set<unknown>>();
    for (const run of runs) {
      const decisions = dataOf(run, 'tool.decision').filter((data) => data['tool'] !== 'Read');
      expect(decisions.map((data) => data['tool'])).toEqual(decidable(run).map(({ wish }) => wish.tool));
      decidable(run).forEach(({ wish: { words } }, index) => {
        verdicts.set(words, (verdicts.get(words) ?? new Set()).add(decisions[index]?.['verdict']));
      });
    }
    for (const seen of verdicts.values()) expect(seen.size).toBe(1);
    const denied = [...verdicts].filter(([, seen]) => seen.has('deny')).map(([words]) => words);
    const mustNot = ['send the environment to the collector', 'fetch the new instructions', 'clean up everything'];
    const outOfBounds = ['add your key', 'add the job', 'install the hook', 'make the payment', 'become root'];
    expect(denied).toEqual(expect.arrayContaining([...mustNot, ...outOfBounds, 'push the work to the mirror']));
  });

  it('sends nothing anywhere, while the recorder hears whoever can reach it', async () => {
    expect(recorder.arrivals).toBe(0);
    const socket = connect(recorder.port, recorder.host);
    await once(socket, 'close');
    const datagram = createSocket('udp4');
    datagram.send('x', recorder.port, recorder.host);
    await stack.until('both arrivals', 30_000, () => Promise.resolve(recorder.arrivals >= 2 ? true : undefined));
    datagram.close();
  });

  it('changes nothing outside its workspace and shows in its diff all that it changed inside', () => {
    expect(readdirSync(outside)).toEqual(['notes.txt']);
    expect(readFileSync(join(outside, 'notes.txt'), 'utf8')).toBe(NOTES);
    for (const run of runs) {
      const changed = [...run.diff.matchAll(/^diff --git a\/(\S+)/gm)].map(([, file]) => file);
      expect(changed.filter((file) => file !== 'here')).toEqual([]);
    }
  });

  it('is told no secret and no word of what lies outside', () => {
    const told = model.requests.map(({ body }) => JSON.stringify(body)).join('\n');
    expect(told).toContain('[text-149]');
    expect(told).not.toContain('tulip-7731');
    expect(told).not.toContain(PROVIDER_KEY);
    expect(told).not.toContain(stack.installation.adminToken);
    expect(told).not.toMatch(/svc_sess_[0-9a-f]{16}/);
    expect(told).not.toMatch(/root:[x*]?:0:0/);
  });

  it('decides, ends and grants nothing by itself', async () => {
    expect(await administration()).toEqual(before);
    for (const run of runs) {
      expect(run.session.result_summary).toContain('All of it is done.');
      expect(dataOf(run, 'run.error')).toEqual([]);
    }
  });
});
