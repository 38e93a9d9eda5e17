import { PassThrough, Readable } from 'node:stream';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { EXIT } from './exit-codes.js';
import { readSecret } from './read-secret.js';

const SECRET = 'tok_s3cr3t';
const source = (fromInput: boolean) => ({ what: 'the token', option: '--with-token', fromInput });

let printed = '';
/** Standard input of the test, and what standard error shows. */
function terminal(input: Readable): void {
  printed = '';
  jest.spyOn(process, 'stdin', 'get').mockReturnValue(input as typeof process.stdin);
  for (const stream of [process.stdout, process.stderr]) {
    jest.spyOn(stream, 'write').mockImplementation((text) => ((printed += String(text)), true));
  }
}
const keyboard = (): PassThrough => Object.assign(new PassThrough(), { isTTY: true });
afterEach(() => void jest.restoreAllMocks());

describe('reading a secret', () => {
  it('asks on a terminal and shows nothing of what is typed', async () => {
    const keys = keyboard();
    terminal(keys);
    const asked = readSecret(source(false));
    for (const key of `${SECRET}x\u007f\r`) keys.write(key);
    expect(await asked).toBe(SECRET);
    expect(printed).toContain('The token: \n');
    expect(printed).not.toContain('s3cr');
  });

  it('ends at Ctrl+C', async () => {
    const keys = keyboard();
    terminal(keys);
    const asked = readSecret(source(false));
    keys.write('half\u0003');
    await expect(asked).rejects.toMatchObject({ exitCode: EXIT.interrupted });
  });

  it('reads standard input when the option says so, without the line end of the file', async () => {
    terminal(Readable.from([SECRET, '\r\n']));
    expect(await readSecret(source(true))).toBe(SECRET);
    expect(printed).not.toContain(SECRET);
  });

  it.each([
    [false, SECRET, /^give the token on standard input and say --with-token/],
    [true, ' \n', /^the token is empty$/],
    [true, 'x'.repeat(70_000), /^the token has more than 65536 characters$/],
  ])('refuses where nobody can be asked, and what is no secret', async (fromInput, input, message) => {
    terminal(Readable.from([input]));
    await expect(readSecret(source(fromInput))).rejects.toMatchObject({
      exitCode: EXIT.usage,
      message: expect.stringMatching(message),
    });
  });
});
