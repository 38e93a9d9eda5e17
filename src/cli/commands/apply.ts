import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { isSystemError } from '../../domain/system-error.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { contextOf, fromCaller } from './program-context.js';
import type { CommandContext } from './program-context.js';
import { findRun, readDiff, workspaceOf } from '../server/runs.js';
import { asText } from '../server/event-data.js';
import type { Session } from '../server/wire.js';
import { block, inline } from '../terminal/escape.js';
import { printDocument, write } from '../terminal/output.js';

interface ApplyFlags {
  readonly to: string;
  readonly check?: boolean;
  readonly force?: boolean;
}

const GIT_TIMEOUT_MS = 120_000;

export function registerApplyCommand(program: Command): void {
  program
    .command('apply')
    .description('Take the change of a run over into a working tree (git apply --3way). Commits nothing.')
    .argument('<run>', 'id of the run, part of it, or "last"')
    .option('--to <folder>', 'working tree; the one you stand in otherwise', '.')
    .option('--check', 'only say whether it would apply')
    .option('--force', 'apply although the tree is not at the commit that the run started from')
    .action((run: string, flags: ApplyFlags, command: Command) => apply(run, flags, contextOf(command)));
}

async function apply(name: string, flags: ApplyFlags, { client, format }: CommandContext): Promise<void> {
  const run = await findRun(client, name);
  const artifact = await readDiff(client, run.id);
  if (artifact?.content_type !== 'text/x-diff') throw new CliError('this run left no change to apply', EXIT.notFound);
  if (artifact.truncated === true)
    throw new CliError('the diff of this run was cut at its size limit and cannot be applied', EXIT.conflict);
  const patch = await client.bytes(`/v1/sessions/${run.id}/artifacts/${artifact.id}`);
  const tree = await topLevel(fromCaller(flags.to));
  await checkBase(run, patch, tree, flags.force === true);
  const summary = await git(tree, ['apply', '--stat', '-'], patch);
  const mode = flags.check === true ? ['--check'] : [];
  await git(tree, ['apply', '--3way', ...mode, '-'], patch).catch((error: unknown) =>
    applyPlainly(error, tree, mode, patch),
  );
  const applied = flags.check !== true;
  if (format !== 'table') return printDocument(format, { run: run.id, tree, applied });
  write(block(summary.trimEnd()));
  write(applied ? `Applied to ${inline(tree)}; nothing is committed.` : 'It applies.');
}

/** Files that were changed but not staged stop a three-way apply; a patch that fits as it is needs no merge. */
async function applyPlainly(error: unknown, tree: string, mode: readonly string[], patch: Buffer): Promise<string> {
  if (!(error instanceof CliError) || !/does not match index|does not exist in index/.test(error.message)) throw error;
  return git(tree, ['apply', ...mode, '-'], patch).catch(() => {
    throw error;
  });
}

/**
 * A checkout starts from a commit, which must be the tree's. A copied folder, here or uploaded, starts from a snapshot that no other
 * repository has: there the files that the patch changes must be those that the run saw; and the tree must be at the commit that an
 * uploaded one was changed from.
 */
async function checkBase(run: Session, patch: Buffer, tree: string, force: boolean): Promise<void> {
  if (force) return;
  const workspace = workspaceOf(run);
  if (workspace['kind'] === 'local_copy') {
    checkSameFolder(asText(workspace['path']), tree);
    return checkSameFiles(patch, tree);
  }
  if (workspace['kind'] === 'upload') {
    const base = asText(workspace['base_commit']);
    if (base !== '') await checkHead(base, tree);
    return checkSameFiles(patch, tree);
  }
  await checkHead(run.base_commit ?? 'nothing', tree);
}

async function checkHead(base: string, tree: string): Promise<void> {
  const head = (await git(tree, ['rev-parse', 'HEAD'])).trim();
  if (head === base) return;
  throw new CliError(
    `the tree is at ${head.slice(0, 12)}, the run started from ${inline(base).slice(0, 12)}; check that commit out, or use --force to merge`,
    EXIT.conflict,
  );
}

async function checkSameFiles(patch: Buffer, tree: string): Promise<void> {
  const changed = await filesThatDiffer(patch, tree);
  if (changed.length === 0) return;
  throw new CliError(
    `the tree changed since the run started (${changed.slice(0, 5).map(inline).join(', ')}${changed.length > 5 ? ' …' : ''}); --force merges`,
    EXIT.conflict,
  );
}

function checkSameFolder(copied: string, tree: string): void {
  const source = realOrNull(copied);
  if (source === tree || source?.startsWith(`${tree}/`) === true) return;
  throw new CliError(
    `the run worked on a copy of ${inline(copied)}, not of ${inline(tree)}; use --to, or --force to apply it here`,
    EXIT.conflict,
  );
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Compares the blobs that the patch starts from with the files of the tree. */
async function filesThatDiffer(patch: Buffer, tree: string): Promise<string[]> {
  const changed: string[] = [];
  for (const { path, blob } of preimages(patch.toString('latin1'))) {
    const present = await git(tree, ['hash-object', '--', path]).then(
      (hash) => hash.trim(),
      () => '',
    );
    if (!present.startsWith(blob)) changed.push(path);
  }
  return changed;
}

/** Old blobs by path; a new file has none. Paths that git had to quote are left to `git apply` itself. */
export function preimages(patch: string): { path: string; blob: string }[] {
  return patch.split(/^(?=diff --git )/m).flatMap((section) => {
    const blob = /^index ([0-9a-f]{7,64})\.\./m.exec(section)?.[1];
    const path = /^--- a\/(.+)$/m.exec(section)?.[1] ?? /^diff --git a\/(.+) b\/\1$/m.exec(section)?.[1];
    return blob === undefined || path === undefined || /^0+$/.test(blob)
      ? []
      : [{ path: path.replace(/\t$/, ''), blob }];
  });
}

async function topLevel(folder: string): Promise<string> {
  return realpathSync((await git(folder, ['rev-parse', '--show-toplevel'])).trim());
}

async function git(tree: string, argv: readonly string[], input?: Buffer): Promise<string> {
  const call = promisify(execFile)('git', ['-c', 'core.hooksPath=/dev/null', ...argv], {
    cwd: tree,
    timeout: GIT_TIMEOUT_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (input !== undefined) {
    // git may refuse before it has read everything; its exit code decides.
    call.child.stdin?.on('error', () => undefined);
    call.child.stdin?.end(input);
  }
  try {
    return (await call).stdout;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new CliError(`git ${argv[0]}: ${block((stderr || message).trim())}`, EXIT.conflict);
  }
}
