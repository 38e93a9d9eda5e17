import { parseJsonObject } from '../../domain/json.js';

/** The commands that a runner is started for instead of an agent. */
export interface SetupSettings {
  commands: string[];
  timeoutSecs: number;
}

/** Reads `SERVICE_SETUP`. Null when it has another shape, which is the launcher's defect. */
export function parseSetup(text: string): SetupSettings | null {
  const document = parseJsonObject(text);
  if (document === null) return null;
  const { commands, timeout_secs: timeoutSecs } = document;
  if (!Array.isArray(commands) || typeof timeoutSecs !== 'number' || !(timeoutSecs > 0)) return null;
  const lines = commands.filter((command) => typeof command === 'string');
  return lines.length === commands.length && lines.length > 0 ? { commands: lines, timeoutSecs } : null;
}
