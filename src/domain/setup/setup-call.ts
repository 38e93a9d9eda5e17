/** The tool that setup commands are asked for as; the policy judges them like the agent's own (docs/design/setup.md). */
export const SETUP_TOOL = 'Bash';

/** Exit codes of the runner of a setup besides its usual ones: a command failed or was denied, or the time was up. */
export const SETUP_EXIT = { failed: 6, outOfTime: 7 } as const;

const SHOWN_CHARACTERS = 120;

/** The id under which a command is asked for. A setup that is repeated after a crash meets the verdicts that it got before. */
export function setupCallId(index: number): string {
  return `setup_${String(index + 1).padStart(3, '0')}`;
}

/** A command as a sentence names it: `command 2 of 3 (npm ci)`. */
export function namedCommand(commands: readonly string[], index: number): string {
  const line = (commands[index] ?? '').trim().replace(/\s+/gu, ' ');
  const shown = line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`;
  return `command ${index + 1} of ${commands.length} (${shown})`;
}
