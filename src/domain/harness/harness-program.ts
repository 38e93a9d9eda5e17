/** Where the program of the run's harness stands inside the sandbox, read-only: an npm tree with `node_modules` (docs/design/tools.md). */
export const HARNESS_INSIDE = '/opt/sandgate/harness';

/** Harnesses that are part of Sandgate: every host has them. */
export const OWN_HARNESSES = ['builtin', 'replay'] as const;

/** Harnesses whose agent program is installed apart. */
export const PROGRAM_HARNESSES = ['claude-agent-sdk', 'codex'] as const;
export type ProgramHarness = (typeof PROGRAM_HARNESSES)[number];

/** The program of a harness at the version that this Sandgate works with. */
export interface HarnessProgram {
  harness: ProgramHarness;
  /** Npm package that it comes from. */
  package: string;
  version: string;
}

export function needsProgram(harness: string): harness is ProgramHarness {
  return PROGRAM_HARNESSES.some((known) => known === harness);
}

/** What to run on a host that lacks the program. */
export function installCommand(harness: ProgramHarness): string {
  return `sandgate harness install ${harness}`;
}
