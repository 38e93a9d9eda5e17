import type { CandidatePath } from '../../paths/path.js';
import type { Hazard } from './effects.js';

/** What a session grant for a simple command would cover, or why a yes to it counts for that call alone. */
export type GrantKey = { key: string } | { once: string };

/** A simple command of a line, nested ones and those that wrappers run included. */
export interface ShellCommand {
  /** Source text. */
  text: string;
  /** After quote removal; null where an expansion decides. The first is the program; empty when there is none. */
  words: readonly (string | null)[];
  /** Whether an assignment before it may change what it does (docs/design/policy.md). */
  unsafeAssignment: boolean;
  /** The word that makes it run or load more than its name says: only a prefix that holds that word covers it. */
  hazard: Hazard | null;
  /** Source texts of the words whose value only the run decides. */
  unknown: readonly string[];
  /** What a session grant would name; worked out when it is asked for, since most commands are allowed without. */
  grant: () => GrantKey;
  /** The pipeline of simple commands in which it stands. */
  chain: readonly ShellCommand[] | null;
}

/** A file that the shell, or `find`, opens for the line. */
export interface ShellRedirect {
  text: string;
  access: 'write' | 'read';
  /** Every place where it may land. */
  candidates: CandidatePath[];
}

/** What the parser found in a line. */
export interface ShellLine {
  /** Why the line cannot be judged by its parts; null when it can. */
  problem: string | null;
  commands: readonly ShellCommand[];
  redirects: readonly ShellRedirect[];
  /** The whole text and every part on which deny patterns run. */
  denyTexts: readonly string[];
}
