import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { HOSTILE } from '../../../test/support/texts/hostile-texts.js';
import type { Approval } from '../server/wire.js';
import { askApproval, type Keyboard } from './approval-prompt.js';
import { APPROVAL_HEADING } from './approval-view.js';
import { LiveScreen } from '../terminal/live-screen.js';

const CLEAR_LINE = '\r\u001b[2K';

const approval = (text: string): Approval => ({
  id: 'a',
  session_id: 's',
  tool_call_id: 'c',
  tool: text,
  summary: text,
  input: { command: text },
  input_digest: 'sha256:0',
  explanation: null,
  risk: text,
  scope: 'once',
  scope_key: text,
  grant: { covers: text, once_because: null, keys: [text], examples: [] },
  status: 'pending',
  reason: text,
  requested_at: '2026-01-01T00:00:00.000Z',
  expires_at: new Date(Date.now() + 65_000).toISOString(),
  decided_at: null,
  decided_by: null,
});

/** A keyboard that holds what was typed before the question, and types on. */
class TestKeyboard extends EventEmitter {
  readonly modes: boolean[] = [];

  constructor(private typedBefore: string[] = []) {
    super();
  }

  read(): Buffer | null {
    const key = this.typedBefore.shift();
    return key === undefined ? null : Buffer.from(key);
  }

  setRawMode(on: boolean): this {
    this.modes.push(on);
    return this;
  }

  resume = (): this => this;
  pause = (): this => this;

  type(keys: string): void {
    this.emit('data', Buffer.from(keys));
  }
}

function terminal(): { screen: LiveScreen; drawn: () => string } {
  const written: string[] = [];
  const out = { columns: 80, isTTY: false, write: (text: string) => written.push(text) > 0 };
  return { screen: new LiveScreen(out as unknown as NodeJS.WriteStream, true), drawn: () => written.join('') };
}

function ask(keyboard: TestKeyboard, text = 'sh deploy.sh', signal = new AbortController().signal) {
  const { screen, drawn } = terminal();
  const answer = askApproval(approval(text), screen, signal, keyboard as unknown as Keyboard);
  return { answer, drawn };
}

describe('the question on a terminal', () => {
  it.each([
    ['a', 'approved_once'],
    ['s', 'approved_session'],
    ['d', 'denied'],
    ['l', 'later'],
    ['A', 'approved_once'],
  ])('key %j answers %s', async (key, expected) => {
    const keyboard = new TestKeyboard();
    const { answer } = ask(keyboard);
    keyboard.type(key);
    expect(await answer).toBe(expected);
    expect(keyboard.modes).toEqual([true, false]);
  });

  it('keys that were typed before the question, pasted together or meaningless are no answer', async () => {
    const keyboard = new TestKeyboard(['a', 's']);
    const { answer } = ask(keyboard);
    // A terminal's answer to a hostile query, an arrow key, and a paste.
    for (const keys of ['\u001b[?1;2c', '\u001b[A', 'aaaa', 'yes\r', 'x']) keyboard.type(keys);
    keyboard.type('d');
    expect(await answer).toBe('denied');
  });

  it.each(['\r', '\n', ' ', '\t', '\u001b', '\u007f', 'y', 'n', 'k', '1'])(
    'key %j, which no answer is named after, decides nothing and asks again',
    async (key) => {
      const keyboard = new TestKeyboard();
      const { answer, drawn } = ask(keyboard);
      const questions = () => drawn().split('[a] once').length - 1;
      const asked = questions();
      keyboard.type(key);
      expect(questions()).toBe(asked + 1);
      expect(keyboard.modes).toEqual([true]);
      keyboard.type('d');
      expect(await answer).toBe('denied');
    },
  );

  it('names once before for this run, and leaves that out where nothing can be granted', async () => {
    const granting = new TestKeyboard();
    const { answer, drawn } = ask(granting);
    expect(drawn()).toMatch(/\[a\] once {2}\[s\] for this run {2}\[d\] deny {2}\[l\] leave open: /);
    granting.type('d');
    await answer;
    const keyless = new TestKeyboard();
    const { screen, drawn: drawnOnce } = terminal();
    const grant = { covers: null, once_because: '`rm` deletes', keys: [], examples: [] };
    const asked = { ...approval('rm a'), scope_key: null, grant };
    const once = askApproval(asked, screen, new AbortController().signal, keyless as unknown as Keyboard);
    expect(drawnOnce()).not.toContain('[s]');
    keyless.type('s');
    keyless.type('a');
    expect(await once).toBe('approved_once');
  });

  it('ends when somebody else decided', async () => {
    const decided = new AbortController();
    const { answer } = ask(new TestKeyboard(), 'ls', decided.signal);
    decided.abort();
    expect(await answer).toBe('later');
  });

  it.each(HOSTILE)('is drawn on a cleared line under its heading, whatever the call holds: it %s', async (_, text) => {
    const keyboard = new TestKeyboard();
    const { answer, drawn } = ask(keyboard, text);
    keyboard.type('d');
    await answer;
    const [before, rest] = drawn().split(APPROVAL_HEADING, 2) as [string, string];
    expect(before).toBe(`${CLEAR_LINE}${CLEAR_LINE}`);
    expect(rest).toMatch(/1 min [45] s left {2}\[a\] once/);
    // The only control sequence is our own line clearing.
    // eslint-disable-next-line no-control-regex -- the point of the test
    expect(rest.replaceAll(CLEAR_LINE, '').replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });
});
