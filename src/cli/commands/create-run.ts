import { randomUUID } from 'node:crypto';
import { SandgateError } from '../../domain/errors.js';
import { packWorkspace, type PackedWorkspace } from '../../embedded/pack-workspace.js';
import { dataDirOf } from '../server/connection.js';
import { isLoopback } from '../server/loopback-address.js';
import type { SandgateClient } from '../server/sandgate-client.js';
import { sendWorkspace } from '../server/send-workspace.js';
import type { NewRun, Session } from '../server/wire.js';
import { CliError, EXIT, exitCodeOfStatus } from '../terminal/exit-codes.js';
import { inline } from '../terminal/escape.js';
import type { CommandContext } from './program-context.js';

type LocalCopy = NonNullable<NewRun['workspace']> & { path: string };

/**
 * Creates a run. A folder of this machine is sent when the server is another one, when it does not copy folders for this caller, or when
 * it is told so.
 */
export async function createRun(body: NewRun, flags: { upload?: boolean }, context: CommandContext): Promise<Session> {
  const { workspace } = body;
  if (!isLocalCopy(workspace)) return post(body, context.client);
  if (flags.upload === true || !isLoopback(context.client.connection.url))
    return createBySending(body, workspace, context);
  try {
    return await post(body, context.client);
  } catch (error) {
    if (!refusesFolders(error)) throw error;
    return createBySending(body, workspace, context);
  }
}

async function createBySending(body: NewRun, folder: LocalCopy, context: CommandContext): Promise<Session> {
  await using packed = await pack(folder, context);
  tell(packed, context);
  const { id } = await sendWorkspace(context.client.connection, packed);
  return post({ ...body, workspace: { kind: 'upload', id } }, context.client);
}

async function pack({ path, include }: LocalCopy, { flags }: CommandContext): Promise<PackedWorkspace> {
  try {
    return await packWorkspace({ folder: path, include: include ?? [], stateDir: dataDirOf(flags, process.env) });
  } catch (error) {
    if (!(error instanceof SandgateError)) throw error;
    throw new CliError(inline(error.message), exitCodeOfStatus(error.httpStatus));
  }
}

function tell({ files, bytes, leftOut }: PackedWorkspace, { format }: CommandContext): void {
  if (format !== 'table') return;
  const size = `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  const missing =
    leftOut === 0
      ? ''
      : `; ${count(leftOut)} left out (what looks like a secret, links that leave the folder, special files)`;
  process.stderr.write(`sending ${count(files)} in ${size}${missing}\n`);
}

function count(files: number): string {
  return files === 1 ? '1 file' : `${files.toLocaleString('en')} files`;
}

async function post(body: NewRun, client: SandgateClient): Promise<Session> {
  // A retry on the way to the server must not make two runs.
  const headers = { 'idempotency-key': randomUUID() };
  return (await client.call((api) => api.POST('/v1/sessions', { body, headers }))).session;
}

function isLocalCopy(workspace: NewRun['workspace']): workspace is LocalCopy {
  return workspace?.kind === 'local_copy' && typeof workspace.path === 'string';
}

/** The server's 403 or 400 about the workspace, which no role or setting of it allows. */
function refusesFolders(error: unknown): boolean {
  if (!(error instanceof CliError) || !/^workspace\b/.test(error.message)) return false;
  return error.exitCode === EXIT.unauthorized || error.exitCode === EXIT.usage;
}
