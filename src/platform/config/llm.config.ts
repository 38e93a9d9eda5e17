import { parsePriceOverrides } from '../../domain/prices/price-overrides.js';
import type { PriceOverrides } from '../../domain/prices/price-overrides.js';
import { httpUrl, integer, oneOf, text } from './readers.js';
import type { Reader } from './readers.js';
import { setting } from './setting.js';

/** The operator's own prices, mostly through `SERVICE_LLM_PRICES_FILE`. */
const prices: Reader<PriceOverrides> = {
  expects: 'YAML or JSON, see [Prices](model-gateway.md#prices)',
  parse: parsePriceOverrides,
};

/** Where model calls go (docs/design/model-gateway.md). A gateway, when set, serves every dialect; otherwise the direct providers. */
export class LlmConfig {
  @setting({
    variable: 'SERVICE_LLM_ANTHROPIC_URL',
    read: httpUrl,
    default: 'https://api.anthropic.com',
    about: 'Address of the Anthropic Messages API, used with `ANTHROPIC_API_KEY`.',
  })
  readonly anthropicUrl!: string;

  @setting({
    variable: 'ANTHROPIC_API_KEY',
    read: text,
    default: null,
    secret: true,
    about: 'Key of the direct Anthropic provider. It stays in the API process and never enters a sandbox.',
  })
  readonly anthropicApiKey!: string | null;

  @setting({
    variable: 'SERVICE_LLM_OPENAI_URL',
    read: httpUrl,
    default: 'https://api.openai.com',
    about:
      'Base of the OpenAI Responses and Chat Completions APIs as their clients write it, used with `OPENAI_API_KEY`; one without a path gets `/v1`. Any server that speaks them will do, such as a local one.',
  })
  readonly openaiUrl!: string;

  @setting({
    variable: 'OPENAI_API_KEY',
    read: text,
    default: null,
    secret: true,
    about:
      'Key of the direct OpenAI provider. A server that asks for none still needs some value here. It stays in the API process and never enters a sandbox.',
  })
  readonly openaiApiKey!: string | null;

  @setting({
    variable: 'SERVICE_LLM_UPSTREAM_URL',
    read: httpUrl,
    default: null,
    about: 'A LiteLLM-compatible model gateway that serves every dialect; when set, the direct providers are not used.',
  })
  readonly upstreamUrl!: string | null;

  @setting({
    variable: 'SERVICE_LLM_UPSTREAM_KEY',
    read: text,
    default: null,
    secret: true,
    about: 'Key of the model gateway.',
  })
  readonly upstreamKey!: string | null;

  @setting({
    variable: 'SERVICE_LLM_KEY_MODE',
    read: oneOf('shared', 'tenant'),
    default: 'shared',
    about: '`shared`: one key for the deployment. `tenant` is not in this version and refuses the boot.',
  })
  readonly keyMode!: 'shared' | 'tenant';

  @setting({
    variable: 'SERVICE_LLM_MAX_CONCURRENT_RESERVATIONS',
    read: integer(1, 4096),
    default: 32,
    about: 'Budget reservations that one run may hold at once.',
  })
  readonly maxConcurrentReservations!: number;

  @setting({
    variable: 'SERVICE_LLM_PRICES',
    read: prices,
    default: () => new Map(),
    defaultText: 'none',
    about:
      'Prices of models in dollars per million tokens, which win over the built-in price list; usually in a file that `SERVICE_LLM_PRICES_FILE` names.',
  })
  readonly prices!: PriceOverrides;
}
