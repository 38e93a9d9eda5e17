import type { ConfinedLimits } from '../../../../src/platform/host/confine.js';

const MIB = 1024 * 1024;

/** What a parser may use. Time, answers and lines are those of one call; the rest is the program's, however often it is called. */
export interface ParserLimits extends ConfinedLimits {
  timeoutMs: number;
  maxOutputBytes: number;
  /** Of one item; what it is made into in this process is bounded beside it (answer-bounds.ts). */
  maxLineBytes: number;
}

/** Of a call that says nothing else. */
export const PARSER_LIMITS: ParserLimits = {
  memoryMb: 2048,
  cpuSeconds: 120,
  processes: 64,
  openFiles: 64,
  writtenBytes: 1024 * MIB,
  timeoutMs: 180_000,
  maxOutputBytes: 128 * MIB,
  maxLineBytes: 32 * MIB,
};
