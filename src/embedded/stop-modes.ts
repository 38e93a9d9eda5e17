import { setTimeout as delay } from 'node:timers/promises';

/** What a stop does with live runs: leave their sandboxes running (the default), wait for them, or cancel them. */
export type StopMode = 'leave' | 'drain' | 'kill';

const KILL_TIMEOUT_MS = 60_000;
const SETTLED = new Set(['completed', 'failed', 'cancelled', 'budget_exceeded', 'queued', 'awaiting_authorization']);

interface Api {
  readonly url: string;
  readonly adminToken: string;
}

/** Waits until no run holds a sandbox; ends early when `signal` says so. */
export async function drain(api: Api, notify: (line: string) => void, signal: AbortSignal): Promise<void> {
  let last = -1;
  for (;;) {
    const live = await liveRuns(api);
    if (live.length === 0 || signal.aborted) return;
    if (live.length !== last)
      notify(`waiting for ${live.length} live run${live.length === 1 ? '' : 's'}; stop again to leave them`);
    last = live.length;
    await delay(500, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

/** Cancels every live run and waits, for a minute at most, until their sandboxes are gone. */
export async function killRuns(api: Api, notify: (line: string) => void, signal: AbortSignal): Promise<void> {
  const live = await liveRuns(api);
  notify(`ending ${live.length} live run${live.length === 1 ? '' : 's'}`);
  for (const id of live) await call(api, `/v1/sessions/${id}/cancel`, 'POST');
  await drain(api, () => undefined, AbortSignal.any([signal, AbortSignal.timeout(KILL_TIMEOUT_MS)]));
}

async function liveRuns(api: Api): Promise<string[]> {
  const response = await call(api, '/v1/sessions?limit=1000', 'GET');
  const { sessions } = (await response.json()) as { sessions: { id: string; status: string }[] };
  return sessions.filter((session) => !SETTLED.has(session.status)).map((session) => session.id);
}

function call(api: Api, path: string, method: 'GET' | 'POST'): Promise<Response> {
  const headers = { authorization: `Bearer ${api.adminToken}` };
  return fetch(`${api.url}${path}`, { method, headers, signal: AbortSignal.timeout(15_000) });
}
