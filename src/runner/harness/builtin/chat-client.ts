import OpenAI from 'openai';
import type { ModelAccess } from '../harness.js';
import { MAX_RETRIES, REQUEST_TIMEOUT_MS } from './request-limits.js';

/**
 * The client of the format's own provider, which knows only the model gateway: every member that it would otherwise look up in
 * the environment is given. It retries what the wire format calls transient (408, 409, 429, 5xx) and honours `x-should-retry`;
 * any other status ends the request.
 */
export function chatClient(model: ModelAccess): OpenAI {
  return new OpenAI({
    baseURL: `${model.baseUrl}/v1`,
    apiKey: model.token,
    organization: null,
    project: null,
    fetch: model.fetch,
    maxRetries: MAX_RETRIES,
    timeout: REQUEST_TIMEOUT_MS,
    // Its log lines may quote requests, and the runner's output is kept.
    logLevel: 'off',
  });
}
