import type { Dialect } from '../../../domain/models/dialect.js';
import { anthropicDialect } from './anthropic/anthropic-dialect.js';
import { chatDialect } from './chat/chat-dialect.js';
import type { ModelDialect } from '../model-dialect.js';
import { responsesDialect } from './responses/responses-dialect.js';

/** Every wire format of the model gateway. */
export const MODEL_DIALECTS: Readonly<Record<Dialect, ModelDialect>> = {
  anthropic: anthropicDialect,
  'openai-responses': responsesDialect,
  'openai-chat': chatDialect,
};
