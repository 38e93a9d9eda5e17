import { execFileSync } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HandOffError, MAX_HAND_OFF_BYTES, readHandOff } from './hand-off.js';
import { MissingVariableError, readSettings } from './runner-settings.js';

const TOKENS = { control: 'svc_sess_c', tool: 'svc_sess_t', llm: 'svc_sess_l' };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hand-off-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function descriptorWith(text: string): number {
  const file = join(folder, 'document');
  writeFileSync(file, text);
  return openSync(file, 'r');
}

/** As a container engine gives it: its other end stays open. */
function pipeThatStaysOpen(text: string): number {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  writeSync(fd, text);
  return fd;
}

describe('the hand-off', () => {
  it('gives variables and tokens and closes the descriptor', () => {
    const fd = descriptorWith(JSON.stringify({ variables: { A: '1' }, tokens: TOKENS }));
    expect(readHandOff(fd)).toEqual({ variables: { A: '1' }, tokens: TOKENS });
    expect(() => fstatSync(fd)).toThrow();
  });

  it('takes a document of exactly the largest size and none beyond it', () => {
    const envelope = JSON.stringify({ variables: { A: '' }, tokens: TOKENS }).length;
    const fits = JSON.stringify({ variables: { A: 'x'.repeat(MAX_HAND_OFF_BYTES - envelope) }, tokens: TOKENS });
    expect(fits).toHaveLength(MAX_HAND_OFF_BYTES);
    expect(readHandOff(descriptorWith(fits)).tokens).toEqual(TOKENS);
    const fd = descriptorWith(`${fits} `);
    expect(() => readHandOff(fd)).toThrow(HandOffError);
    closeSync(fd);
  });

  it.each([
    ['nothing', ''],
    ['no JSON', 'svc_sess_secret'],
    ['no object', '[]'],
    ['no tokens', '{"variables":{}}'],
    ['a missing token', '{"variables":{},"tokens":{"control":"svc_sess_secret","tool":"b"}}'],
    ['a value that is no string', '{"variables":{"A":1},"tokens":{"control":"svc_sess_secret","tool":"b","llm":"c"}}'],
  ])('refuses %s without quoting it', (_name, text) => {
    expect(() => readHandOff(descriptorWith(text))).toThrow(HandOffError);
    expect(() => readHandOff(descriptorWith(text))).not.toThrow(/svc_sess_secret/);
  });

  it('takes a document that says its length, and waits for nothing after it', () => {
    const text = JSON.stringify({ variables: { A: 'ä'.repeat(20_000) }, tokens: TOKENS });
    const framed = `${Buffer.byteLength(text)}\n${text}`;
    expect(readHandOff(descriptorWith(framed))).toEqual(JSON.parse(text));
    expect(readHandOff(pipeThatStaysOpen(framed))).toEqual(JSON.parse(text));
  });

  it.each([
    ['cut short', '500\n{"variables":{},"tokens":{"control":"svc_sess_secret","tool":"b","llm":"c"}}'],
    ['longer than announced', '10\n{"variables":{},"tokens":{"control":"svc_sess_secret","tool":"b","llm":"c"}}'],
    ['announced as more than 1 MiB', '99999999\n{"variables":{},"tokens":{"control":"svc_sess_secret"}}'],
    ['with a length that is none', '123456789\n{"variables":{},"tokens":{"control":"svc_sess_secret"}}'],
  ])('refuses a document that is %s', (_name, text) => {
    expect(() => readHandOff(descriptorWith(text))).toThrow(HandOffError);
    expect(() => readHandOff(descriptorWith(text))).not.toThrow(/svc_sess_secret/);
  });

  it('refuses a descriptor that is not there', () => {
    expect(() => readHandOff(4_000)).toThrow(HandOffError);
  });
});

describe('settings', () => {
  const complete = {
    SERVICE_CONTROL_URL: 'http://plane/',
    SERVICE_SESSION_ID: 'id',
    SERVICE_HARNESS: 'replay',
    SERVICE_TASK: 'task',
    SERVICE_MODEL: 'none',
  };

  it('have defaults for everything that need not be given', () => {
    expect(readSettings(complete)).toMatchObject({
      controlUrl: 'http://plane',
      planeSocket: null,
      workspace: '/workspace',
      systemPrompt: null,
      maxTurns: 60,
      replayDelayMs: 400,
    });
  });

  it.each(Object.keys(complete))('name %s when it is missing', (name) => {
    expect(() => readSettings({ ...complete, [name]: '' })).toThrow(MissingVariableError);
    expect(() => readSettings({ ...complete, [name]: '' })).toThrow(name);
  });

  it.each(['0', '-1', '1.5', 'many', '1e30'])('refuse %s turns', (turns) => {
    expect(() => readSettings({ ...complete, SERVICE_MAX_TURNS: turns })).toThrow('SERVICE_MAX_TURNS');
  });

  it("give tools the agent's own variables and none of the service's or a provider's", () => {
    const variables = { ...complete, NODE_ENV: 'test', ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', SERVICE_X: 'x' };
    expect(readSettings(variables).agentVariables).toEqual({ NODE_ENV: 'test' });
  });
});
