import { providerOf } from '../prices/provider-of.js';

/** The wire formats of the model gateway: Anthropic Messages, OpenAI Responses and OpenAI Chat Completions. */
export const DIALECTS = ['anthropic', 'openai-responses', 'openai-chat'] as const;
export type Dialect = (typeof DIALECTS)[number];

/**
 * The wire format between a run and its model; null for a harness that calls none (docs/design/model-gateway.md). Harness and
 * model are frozen into the run, so it speaks one dialect all its life: `builtin` follows the model, as every server but
 * Anthropic's takes Chat Completions.
 */
export function dialectOf(harness: string, model: string): Dialect | null {
  switch (harness) {
    case 'claude-agent-sdk':
      return 'anthropic';
    case 'codex':
      return 'openai-responses';
    case 'builtin':
      return providerOf(model) === 'anthropic' ? 'anthropic' : 'openai-chat';
    default:
      return null;
  }
}
