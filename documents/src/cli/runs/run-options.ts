import { Option, type Command } from 'commander';
import { ENGINES } from '../../domain/project-settings.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import type { Run } from './run-reference.js';

const MODES: readonly Run['mode'][] = ['per_document', 'combined'];

/** What is said of a run when it is started. */
export interface RunFlags {
  externalId?: string;
  mode?: string;
  engine?: string;
  minConfidence?: string;
  firstPage?: string;
  lastPage?: string;
}

/** Adds the flags of a run to a command that starts one. */
export function addRunOptions(command: Command, externalId: string): Command {
  return command
    .option('--external-id <id>', externalId)
    .addOption(new Option('--mode <mode>', 'a result for each document, or one for all').choices(MODES))
    .addOption(new Option('--engine <engine>', 'what extracts; auto without it').choices(ENGINES))
    .option('--min-confidence <number>', 'from 0 to 1; less sure values are kept, and named as to be looked at')
    .option('--first-page <number>', 'of every document, from here')
    .option('--last-page <number>', 'of every document, up to here');
}

/** The members of the request that the flags stand for, without the external id. @throws CliError `usage` */
export function runMembers({ mode, engine, minConfidence, firstPage, lastPage }: RunFlags): object {
  const last = lastPage === undefined ? {} : { last: numberOf('--last-page', lastPage) };
  const isRange = firstPage !== undefined || lastPage !== undefined;
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(engine === undefined ? {} : { engine }),
    ...(minConfidence === undefined ? {} : { minConfidence: numberOf('--min-confidence', minConfidence) }),
    ...(isRange ? { pageRange: { first: numberOf('--first-page', firstPage ?? '1'), ...last } } : {}),
  };
}

function numberOf(flag: string, text: string): number {
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text);
  throw new CliError(`${flag} takes a number, not ${text}`, EXIT.usage);
}
