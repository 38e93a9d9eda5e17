import type { Command } from 'commander';
import type { Schemas } from '../../client/client.js';
import { printRows } from '../terminal/output.js';
import { contextOf } from './program-context.js';

type Token = Schemas['PersonalTokenView'];

const ELSEWHERE = `
A token is made by sandgate login and ended by sandgate logout. Others are made and revoked in a browser session alone, so that
nobody who got at one token can make himself more: POST /v1/auth/tokens and DELETE /v1/auth/tokens/{id} of the server.`;

const COLUMNS = [
  { title: 'TOKEN', value: (token: Token) => token.id },
  { title: 'NAME', value: (token: Token) => token.name, width: 40 },
  { title: 'BEGINS', value: (token: Token) => token.display_prefix },
  { title: 'STATUS', value: (token: Token) => statusOf(token) },
  { title: 'ENDS', value: (token: Token) => token.expires_at.slice(0, 10) },
  { title: 'LAST USED', value: (token: Token) => token.last_used_at?.slice(0, 10) ?? 'never' },
];

export function registerTokenCommands(program: Command): void {
  program
    .command('tokens')
    .description('List your personal access tokens, also those that are over.')
    .addHelpText('after', ELSEWHERE)
    .action((_flags: unknown, command: Command) => list(command));
}

async function list(command: Command): Promise<void> {
  const { client, format } = contextOf(command);
  const { tokens } = await client.call((api) => api.GET('/v1/auth/tokens'));
  printRows(format, tokens, COLUMNS, 'No tokens; sandgate login makes one.');
}

function statusOf({ revoked_at: revoked, expires_at: end }: Token): string {
  if (revoked !== null) return 'revoked';
  return Date.parse(end) > Date.now() ? 'live' : 'over';
}
