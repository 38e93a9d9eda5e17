import { startApi, type Answer, type TestApi } from './api.js';

/** Where workspaces of runs may be copied from. */
export const ROOT = '/srv/code';
export const TASK = '[{"tool":"Bash","input":{"command":"canary-of-the-task"}}]';

/** Runs of four agents: one free of limits, two with a model of a known and an unknown price, one whose provider is away. */
export class SessionsBench {
  private constructor(readonly api: TestApi) {}

  static async start(): Promise<SessionsBench> {
    const api = await startApi({
      SERVICE_LOCAL_COPY_ROOTS: ROOT,
      SERVICE_MODELS_BUILTIN: 'house-model',
      SERVICE_LLM_UPSTREAM_URL: 'http://127.0.0.1:9',
      SERVICE_LLM_UPSTREAM_KEY: 'k',
    });
    await api.post('/v1/agents', { name: 'free', harness: 'replay', policy: 'unrestricted', budgets: {} });
    await api.post('/v1/agents', { name: 'priced', harness: 'builtin', model: 'claude-haiku-4-5' });
    await api.post('/v1/agents', { name: 'unpriced', harness: 'builtin', model: 'house-model' });
    await api.post('/v1/agents', { name: 'elsewhere', harness: 'codex' });
    return new SessionsBench(api);
  }

  create(body: object, headers: Record<string, string> = {}): Promise<Answer> {
    return this.api.post('/v1/sessions', { agent: 'free', task: TASK, ...body }, { headers });
  }

  async count(): Promise<number> {
    return (await this.api.get('/v1/sessions?limit=1000')).body.sessions.length;
  }
}
