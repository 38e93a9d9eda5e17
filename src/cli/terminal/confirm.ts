import { createInterface } from 'node:readline/promises';
import { CliError, EXIT } from './exit-codes.js';

/**
 * Asks for a word before something is lost. Without a terminal nobody can be asked, and the option `--yes` is named.
 *
 * @param verb what is done to it; its forms end in -s and -d
 * @throws CliError `usage` when the word was not given
 */
export async function confirm(what: string, word: string, verb: 'delete' | 'revoke' = 'delete'): Promise<void> {
  if (process.stdin.isTTY !== true) throw new CliError(`this ${verb}s ${what}; say so with --yes`, EXIT.usage);
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await lines.question(`${verb === 'delete' ? 'Delete' : 'Revoke'} ${what}? Type "${word}": `);
    if (answer.trim() !== word) throw new CliError(`nothing was ${verb}d`, EXIT.usage);
  } finally {
    lines.close();
  }
}
