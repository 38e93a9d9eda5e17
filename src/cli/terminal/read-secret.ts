import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CliError, EXIT } from './exit-codes.js';

const MAX_SECRET_CHARS = 65_536;

export interface SecretSource {
  /** For people: `the token`. */
  what: string;
  /** The option that says that standard input holds it, for example `--with-token`. */
  option: string;
  /** Whether that option was given. */
  fromInput: boolean;
}

/**
 * A secret, which never stands on a command line that every user of the machine can read: from standard input when the option says
 * so, else asked on the terminal without being shown.
 *
 * @throws CliError `usage` when there is neither, or nothing was given
 */
export async function readSecret({ what, option, fromInput }: SecretSource): Promise<string> {
  const isTerminal = process.stdin.isTTY === true;
  if (!isTerminal && !fromInput) {
    throw new CliError(`give ${what} on standard input and say ${option}, for example: … ${option} < file`, EXIT.usage);
  }
  const secret = (
    isTerminal ? await ask(`${what[0]?.toUpperCase()}${what.slice(1)}: `) : await text(process.stdin)
  ).trim();
  if (secret === '') throw new CliError(`${what} is empty`, EXIT.usage);
  if (secret.length > MAX_SECRET_CHARS)
    throw new CliError(`${what} has more than ${MAX_SECRET_CHARS} characters`, EXIT.usage);
  return secret;
}

/** What is typed is not echoed; the question goes to standard error, so that standard output stays a document. */
async function ask(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  process.stderr.write(question);
  try {
    const interrupted = once(lines, 'SIGINT').then(() => {
      throw new CliError('interrupted', EXIT.interrupted);
    });
    return await Promise.race([lines.question(''), interrupted]);
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
