import { integer, integerList, webhookSecret, webhookUrl } from './readers.js';
import { setting } from './setting.js';

/** Who is notified of a pending approval when no terminal is open, and how often delivery is tried. */
export class NoticesConfig {
  @setting({
    variable: 'SERVICE_APPROVAL_WEBHOOK_URL',
    read: webhookUrl,
    default: null,
    about:
      'Address that gets one signed notice (Standard Webhooks) of every approval that becomes pending; unset, nobody is told. Redirects are not followed; loopback and private addresses are allowed, because the operator names it. It takes `SERVICE_EGRESS_PROXY`.',
  })
  readonly url!: string | null;

  @setting({
    variable: 'SERVICE_APPROVAL_WEBHOOK_SECRET',
    read: webhookSecret,
    default: null,
    secret: true,
    about:
      'What signs the notices; the receiver verifies with the same text. Needed with `SERVICE_APPROVAL_WEBHOOK_URL`.',
  })
  readonly secret!: string | null;

  @setting({
    variable: 'SERVICE_APPROVAL_WEBHOOK_WAITS_MS',
    read: integerList(1, 86_400_000),
    default: () => Object.freeze([5_000, 30_000, 180_000, 900_000, 3_600_000]),
    defaultText: '5000,30000,180000,900000,3600000',
    about: 'Milliseconds between two attempts, each ± 10 %; there is one attempt more than waits.',
  })
  readonly waitsMs!: readonly number[];

  @setting({
    variable: 'SERVICE_APPROVAL_WEBHOOK_TIMEOUT_MS',
    read: integer(1, 20_000),
    default: 10_000,
    about: 'How long one attempt may take.',
  })
  readonly timeoutMs!: number;
}
