import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ToolWorkspace } from '../../../test/support/runner/tool-workspace.js';
import { BASH_MAX_OUTPUT_CHARACTERS } from './bash.js';
import { InvalidToolInputError } from './input-shape.js';
import { KeptOutput } from './kept-output.js';

let bench: ToolWorkspace;

beforeEach(async () => {
  bench = await ToolWorkspace.create();
});
afterEach(() => bench.remove());

describe('Bash', () => {
  it('runs in the workspace and joins both outputs', async () => {
    const outcome = await bench.run('Bash', { command: 'pwd; echo problem >&2' });
    expect(outcome).toEqual({ text: `${bench.path}\nproblem\n`, isError: false, note: 'exit code 0' });
  });

  it('gives the exit code, and says so when there is no output', async () => {
    expect(await bench.run('Bash', { command: 'exit 7' })).toEqual({
      text: '(no output)\n[exit code 7]',
      isError: true,
      note: 'exit code 7',
    });
    expect((await bench.run('Bash', { command: 'kill -TERM $$' })).note).toBe('killed by SIGTERM');
  });

  it('reads no start-up file and inherits nothing of the runner', async () => {
    process.env['SERVICE_CANARY'] = 'canary-91';
    await bench.put({ '.bashrc': 'echo started', '.profile': 'echo started' });
    const { text } = await bench.run('Bash', { command: 'env; ls -l /proc/self/fd | grep -c -e socket -e anon' });
    delete process.env['SERVICE_CANARY'];
    expect(text).not.toContain('canary-91');
    expect(text).not.toContain('started');
    expect(text).toContain('HOME=/home/agent');
    expect(text).toMatch(/PATH=\/opt\/sandgate\/node\/bin:/);
    expect(text).toMatch(/\n0\n/);
  });

  it('keeps the order of both outputs and lets programs open them by name', async () => {
    const command =
      'for i in 1 2 3; do echo out $i; echo err $i >&2; done; echo named > /dev/stderr; echo named > /dev/stdout';
    expect((await bench.run('Bash', { command })).text).toBe(
      'out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\nnamed\nnamed\n',
    );
  });

  it('leaves nothing for the command to wait for', async () => {
    expect((await bench.run('Bash', { command: 'wait; jobs; echo end' })).text).toBe('end\n');
  });

  it('has no input to wait for', async () => {
    expect((await bench.run('Bash', { command: 'cat; echo end' })).text).toBe('end\n');
  });

  it('kills the whole process group at the limit', async () => {
    const started = Date.now();
    const outcome = await bench.run('Bash', { command: 'sleep 600 & echo $! > child; sleep 600', timeout: 3000 });
    expect(Date.now() - started).toBeLessThan(60_000);
    expect(outcome).toMatchObject({ isError: true, note: 'killed at the limit of 3 s' });
    const child = Number(await readFile(join(bench.path, 'child'), 'utf8'));
    await expectGone(child);
  });

  it('kills also what ignores polite signals', async () => {
    const outcome = await bench.run('Bash', { command: "trap '' TERM INT HUP; while :; do :; done", timeout: 200 });
    expect(outcome.note).toContain('killed at the limit');
  });

  it('does not wait for what was left in the background', async () => {
    const started = Date.now();
    const outcome = await bench.run('Bash', { command: 'sleep 600 & echo $!' });
    expect(Date.now() - started).toBeLessThan(60_000);
    expect(outcome.isError).toBe(false);
    process.kill(Number(outcome.text), 'SIGKILL');
  });

  it('stops with the run', async () => {
    setTimeout(() => bench.stop.abort(), 100);
    const outcome = await bench.run('Bash', { command: 'sleep 60' });
    expect(outcome).toMatchObject({ isError: true, note: 'killed by SIGKILL' });
  });

  it('keeps head and tail of an output that is far too large', async () => {
    const outcome = await bench.run('Bash', {
      command: 'echo first; head -c 50000000 /dev/zero | tr "\\0" x; echo; echo last',
    });
    expect(outcome.text.length).toBeLessThan(BASH_MAX_OUTPUT_CHARACTERS + 100);
    expect(outcome.text).toMatch(/^first\nx+/);
    expect(outcome.text).toMatch(/x\nlast\n$/);
    expect(outcome.text).toContain('characters left out');
  });

  it('never allows more than ten minutes', async () => {
    const outcome = await bench.run('Bash', { command: 'true', timeout: 999_999_999 });
    expect(outcome.isError).toBe(false);
  });

  it.each([
    [{}],
    [{ command: 3 }],
    [{ command: '' }],
    [{ command: 'ls', cwd: '/' }],
    [null],
    [{ command: 'ls', timeout: 1.5 }],
  ])('refuses the input %j before it is asked about', (input) => {
    expect(() => bench.run('Bash', input)).toThrow(InvalidToolInputError);
  });
});

describe('kept output', () => {
  it('is exact up to its limit and never longer than it and its mark', () => {
    const exact = new KeptOutput(10);
    for (const character of 'abcdefghij') exact.append(character);
    expect(exact.toString()).toBe('abcdefghij');
    exact.append('k');
    expect(exact.toString()).toBe('abcde\n… 1 characters left out …\nghijk');
  });

  it('gives the same for every way of cutting the output into pieces', () => {
    const text = Array.from({ length: 500 }, (_, index) => String(index)).join(' ');
    const whole = new KeptOutput(100);
    whole.append(text);
    for (const size of [1, 7, 49, 51, 333]) {
      const pieces = new KeptOutput(100);
      for (let start = 0; start < text.length; start += size) pieces.append(text.slice(start, start + size));
      expect(pieces.toString()).toBe(whole.toString());
    }
  });

  it('leaves no half of a character', () => {
    const output = new KeptOutput(6);
    output.append('ab😀😀😀😀😀yz');
    expect(output.toString().isWellFormed()).toBe(true);
  });
});

async function expectGone(pid: number): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    // A killed orphan may stand as a zombie until its new parent reaps it.
    if (state === null || / Z /.test(state)) return;
    if (Date.now() > deadline) throw new Error(`process ${pid} still lives: ${state}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
