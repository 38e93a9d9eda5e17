/** One rule of the runner contract as it is tried. Ids are stable; docs/runner-contract.md has each beside its rule. */
export interface CheckInfo {
  id: string;
  /** The promise in one sentence. */
  title: string;
  /** Number of the section of docs/runner-contract.md. */
  section: number;
}

export interface Finding {
  result: 'pass' | 'fail' | 'skip';
  /** What was seen; for a skipped check, why it was skipped. */
  seen: string;
}

export interface CheckResult extends CheckInfo, Finding {
  expected: string;
}

export const pass = (seen: string): Finding => ({ result: 'pass', seen });
export const fail = (seen: string): Finding => ({ result: 'fail', seen });
export const skip = (seen: string): Finding => ({ result: 'skip', seen });

/** Keeps what `--only` names: ids, or beginnings of them. */
export function isWanted(id: string, only: readonly string[]): boolean {
  return only.length === 0 || only.some((part) => id.startsWith(part));
}
