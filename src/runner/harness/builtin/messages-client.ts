import Anthropic from '@anthropic-ai/sdk';
import type { ModelAccess } from '../harness.js';
import { MAX_RETRIES, REQUEST_TIMEOUT_MS } from './request-limits.js';

/**
 * The provider's own client, which knows only the model gateway: every member that it would otherwise look up in the
 * environment or in files is given. It retries what the wire format calls transient (408, 409, 429, 5xx) and honours
 * `x-should-retry`; any other status ends the request.
 */
export function messagesClient(model: ModelAccess): Anthropic {
  return new Anthropic({
    baseURL: model.baseUrl,
    apiKey: model.token,
    authToken: null,
    fetch: model.fetch,
    maxRetries: MAX_RETRIES,
    timeout: REQUEST_TIMEOUT_MS,
    // Its log lines may quote requests, and the runner's output is kept.
    logLevel: 'off',
  });
}
