import type { Command } from 'commander';
import { ROLES, type Role } from '../../domain/identity/role.js';
import { adminPlane, allMembers, findMember, ownPlane, type OrgPlane } from '../server/org-plane.js';
import { shortId } from '../server/runs.js';
import type { Member, Membership, WebSession } from '../server/wire.js';
import { wholeNumber } from '../terminal/arguments.js';
import { confirm } from '../terminal/confirm.js';
import { inline } from '../terminal/escape.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { printDocument, printRows, write, type OutputFormat } from '../terminal/output.js';
import { contextOf } from './program-context.js';

const MEMBER = 'e-mail address, id of the membership, or its beginning or end';

/** Whose members: those of the own organization, or of one that the operator names by its slug as the first argument. */
export type Side = 'own' | 'operator';

/** What a command is given, with the organization that comes first for the operator already resolved. */
interface Asked {
  plane: OrgPlane;
  format: OutputFormat;
  rest: string[];
}

/** Adds the commands that organizations and the operator share to a group of each. */
export function addMemberCommands(group: Command, side: Side): void {
  const add = (name: string, about: string, words: [string, string][]): Command => {
    const command = group.command(name).description(about);
    if (side === 'operator') command.argument('<org>', 'slug of the organization');
    for (const [word, meaning] of words) command.argument(word, meaning);
    return command;
  };
  const run = (command: Command, work: (asked: Asked, flags: Record<string, unknown>) => Promise<void>): void => {
    command.action(() => work(askedOf(command, side), command.opts()));
  };
  run(
    add('list', 'List members.', []).option('--email <address>', 'only those of this address'),
    ({ plane, format }, { email }) => list(plane, format, email as string | undefined),
  );
  run(
    add('roles', 'Set the roles of a member: member, approver, admin, owner.', [
      ['<member>', MEMBER],
      ['<roles...>', 'all that the member has from now on'],
    ]),
    async ({ plane, format, rest: [key = '', ...roles] }) =>
      print(format, await plane.setRoles(await findMember(plane, key), roles.map(roleOf))),
  );
  for (const to of ['deactivate', 'reactivate'] as const) {
    const about =
      to === 'deactivate'
        ? 'Deactivate a member, and end their browser sessions and tokens.'
        : 'Let a deactivated member in again; what was revoked stays revoked.';
    run(add(to, about, [['<member>', MEMBER]]), async ({ plane, format, rest: [key = ''] }) =>
      print(format, await plane.move(await findMember(plane, key), to)),
    );
  }
  run(
    add('sessions', 'List live browser sessions.', [['[member]', MEMBER]]).option(
      '--limit <n>',
      'at most so many',
      wholeNumber,
      100,
    ),
    ({ plane, format, rest: [key] }, { limit }) => sessions(plane, { format, key, limit: Number(limit) }),
  );
  run(
    add('sign-out', 'End browser sessions: one, those of a member, or all.', [['[member]', MEMBER]])
      .option('--session <id>', 'this one alone')
      .option('--all', "everybody's")
      .option('--yes', 'do not ask'),
    signOut,
  );
}

function askedOf(command: Command, side: Side): Asked {
  const { client, format } = contextOf(command);
  const words = command.processedArgs.flat().filter((word): word is string => typeof word === 'string');
  if (side === 'own') return { plane: ownPlane(client), format, rest: words };
  const [slug = '', ...rest] = words;
  return { plane: adminPlane(client, slug), format, rest };
}

function roleOf(word: string): Role {
  const role = ROLES.find((known) => known === word);
  if (role === undefined) throw new CliError(`roles are ${ROLES.join(', ')}, not ${inline(word)}`, EXIT.usage);
  return role;
}

async function list(plane: OrgPlane, format: OutputFormat, email: string | undefined): Promise<void> {
  const members = email === undefined ? await allMembers(plane) : await plane.members({ email, limit: 1000 });
  const columns = [
    { title: 'MEMBER', value: ({ membership_id: id }: Member) => shortId(id) },
    { title: 'E-MAIL', value: (member: Member) => member.email ?? '', width: 40 },
    { title: 'NAME', value: (member: Member) => member.name ?? '', width: 30 },
    { title: 'ROLES', value: (member: Member) => member.roles.join(', ') },
    { title: 'STATUS', value: statusOf },
    { title: 'LAST LOGIN', value: (member: Member) => member.last_login_at?.slice(0, 16) ?? '' },
  ];
  printRows(format, members, columns, 'No members; the first person who signs in is one.');
}

function statusOf({ membership_status: membership, user_status: user }: Member): string {
  return membership === 'active' ? user : membership;
}

function print(format: OutputFormat, membership: Membership): void {
  if (format !== 'table') return printDocument(format, membership);
  write(`${membership.id} is ${membership.status}: ${membership.roles.join(', ')}`);
}

async function sessions(
  plane: OrgPlane,
  { format, key, limit }: { format: OutputFormat; key: string | undefined; limit: number },
): Promise<void> {
  const member = key === undefined ? {} : { member: await findMember(plane, key) };
  const columns = [
    { title: 'SESSION', value: ({ id }: WebSession) => id },
    { title: 'E-MAIL', value: (session: WebSession) => session.email ?? '', width: 40 },
    { title: 'FROM', value: (session: WebSession) => session.source_ip ?? '' },
    { title: 'BROWSER', value: (session: WebSession) => session.user_agent ?? '', width: 30 },
    { title: 'SINCE', value: (session: WebSession) => session.created_at.slice(0, 16) },
    { title: 'LAST SEEN', value: (session: WebSession) => session.last_seen_at.slice(0, 16) },
  ];
  printRows(format, await plane.webSessions({ ...member, limit }), columns, 'No live browser sessions.');
}

async function signOut({ plane, format, rest: [key] }: Asked, flags: Record<string, unknown>): Promise<void> {
  const { session, all, yes } = flags;
  if ([key, session, all].filter((one) => one !== undefined).length !== 1) {
    throw new CliError('name a member, or one session with --session, or everybody with --all', EXIT.usage);
  }
  if (typeof session === 'string') {
    await plane.revokeWebSession(session);
    return report(format, 1);
  }
  const member = key === undefined ? undefined : await findMember(plane, key);
  if (member === undefined && yes !== true) await confirm('every browser session', 'everybody', 'revoke');
  report(format, await plane.revokeWebSessions(member));
}

function report(format: OutputFormat, revoked: number): void {
  if (format !== 'table') printDocument(format, { sessions_revoked: revoked });
  else write(`${revoked} browser ${revoked === 1 ? 'session' : 'sessions'} ended`);
}
