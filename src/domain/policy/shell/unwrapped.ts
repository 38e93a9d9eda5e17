import type { ShellWord } from './shell-word.js';

/** What a wrapper runs. `unknown`: it cannot be told before the line runs. */
export type Unwrapped =
  | { kind: 'unknown'; why: string }
  | { kind: 'nothing' }
  | { kind: 'command'; words: ShellWord[]; assigned: string[] }
  | { kind: 'code'; code: string }
  | { kind: 'find'; commands: ShellWord[][]; writes: { text: string; path: string | null }[]; moves: boolean };
