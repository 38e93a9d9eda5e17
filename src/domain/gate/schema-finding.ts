/** What the third stage of the gate found about one call of a frozen tool (docs/design/gate.md). */
export type SchemaFinding =
  | { kind: 'valid' }
  /** `pointers`: instance paths, or one marker when the arguments exceed a limit; never a value. */
  | { kind: 'rejected'; pointers: string }
  /** The schema cannot be used, whatever the arguments: the tool cannot be called in this run any more. */
  | { kind: 'unusable'; reason: string };

/** Milliseconds that one validator may take, compiling included, before its thread is ended. */
export const VALIDATOR_DEADLINE_MS = 50;
export const VALIDATOR_HEAP_MB = 64;

/** Why a validator was ended. Its tool stays unusable in the run, also for a process that has read the run anew. */
export const ENDED_VALIDATOR = {
  timedOut: `its validator ran longer than ${VALIDATOR_DEADLINE_MS} ms`,
  outOfMemory: `its validator needed more than ${VALIDATOR_HEAP_MB} MB`,
} as const;

const MAX_POINTERS = 8;
const MAX_POINTER_BYTES = 400;

/** Distinct instance paths, as few and as short as a message may hold; the empty one is `(root)`. */
export function joinPointers(instancePaths: Iterable<string>): string {
  const distinct = new Set<string>();
  for (const path of instancePaths) {
    distinct.add(path === '' ? '(root)' : path);
    if (distinct.size === MAX_POINTERS) break;
  }
  const text = [...distinct].join(', ').replaceAll('\0', '\ufffd').toWellFormed();
  // Takes whole characters only.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_POINTER_BYTES));
  return text.slice(0, read);
}
