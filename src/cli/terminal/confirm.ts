import { createInterface } from 'node:readline/promises';
import { CliError, EXIT } from '../exit-codes.js';

/**
 * Asks for a word before something is lost. Without a terminal nobody can be asked, and the option `--yes` is named.
 *
 * @throws CliError `usage` when the word was not given
 */
export async function confirm(what: string, word: string): Promise<void> {
  if (process.stdin.isTTY !== true) throw new CliError(`this deletes ${what}; say so with --yes`, EXIT.usage);
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await lines.question(`Delete ${what}? Type "${word}": `);
    if (answer.trim() !== word) throw new CliError('nothing was deleted', EXIT.usage);
  } finally {
    lines.close();
  }
}
