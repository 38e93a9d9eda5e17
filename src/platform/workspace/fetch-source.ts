import type { SandgateError } from '../../domain/errors.js';
import type { CommandResult, GitOptions } from './git-command.js';

/** A repository that git can fetch from. */
export interface FetchSource {
  url: string;
  options: GitOptions;
  /** The sentence for a fetch that failed. */
  explain(result: CommandResult): SandgateError;
}
