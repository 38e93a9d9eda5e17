import type { Command } from 'commander';
import type { Schemas } from '../../client/client.js';
import type { SandgateClient } from '../server/sandgate-client.js';
import { printRecord } from '../terminal/output.js';
import { contextOf } from './program-context.js';

/** What programs get, and the lines that people do. */
export interface DescribedCaller {
  document: object;
  members: readonly (readonly [string, string])[];
}

export function registerWhoamiCommand(program: Command): void {
  program
    .command('whoami')
    .description('As whom commands act here, and at which server.')
    .action((_flags: unknown, command: Command) => whoami(command));
}

async function whoami(command: Command): Promise<void> {
  const { client, format } = contextOf(command);
  const { document, members } = await describeCaller(client);
  printRecord(format, document, members);
}

/** Asks the server as whom it takes the token of this connection. */
export async function describeCaller(client: SandgateClient): Promise<DescribedCaller> {
  const me = await client.call((api) => api.GET('/v1/auth/me'));
  const { url, source, context } = client.connection;
  const document = { server: url, context: context ?? null, ...me };
  return { document, members: [['Server', url], ['Known from', source], ...peopleLines(me)] };
}

function peopleLines(me: Schemas['OperatorAccount'] | Schemas['UserAccount']): (readonly [string, string])[] {
  if ('operator' in me) return [['You are', 'the operator, by the admin token']];
  const { user, org, roles, auth_kind: kind } = me;
  return [
    ['You are', user.email ?? user.name ?? me.user_id],
    ['Organization', `${org.display_name} (${org.slug})`],
    ['Roles', roles.join(', ')],
    ['By', kind === 'pat' ? 'a personal access token' : 'a browser session'],
  ];
}
