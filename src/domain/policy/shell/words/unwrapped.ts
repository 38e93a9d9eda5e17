import type { ShellWord } from './shell-word.js';

/** What a wrapper runs. `unknown`: it cannot be told before the line runs. */
export type Unwrapped =
  | { kind: 'unknown'; why: string }
  | { kind: 'nothing' }
  | { kind: 'command'; words: ShellWord[]; assigned: string[] }
  /** `posix`: read by a shell that knows less than bash. */
  | { kind: 'code'; code: string; posix: boolean }
  | { kind: 'find'; commands: ShellWord[][]; writes: { text: string; path: string | null }[]; moves: boolean };
