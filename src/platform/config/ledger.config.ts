import { flag, integer, oneOf } from './readers.js';
import { setting } from './setting.js';

/** What is recorded beside the facts that are always recorded. */
export class LedgerConfig {
  @setting({
    variable: 'SERVICE_RECORD_AGENT_MESSAGES',
    read: flag,
    default: true,
    about: 'Whether what an agent says to its user is kept, redacted, as narrative.',
  })
  readonly recordAgentMessages!: boolean;

  @setting({
    variable: 'SERVICE_POLICY_HISTORY_DAYS',
    read: integer(0, 3650),
    default: 30,
    about:
      'Days for which is kept, sealed, what policy read of each tool call, so that a draft can be tried against it (docs/policy-history.md); 0 keeps none. Needs a sealing key.',
  })
  readonly policyHistoryDays!: number;
}

/** Structured logs on standard error. */
export class LogConfig {
  @setting({
    variable: 'SERVICE_LOG_LEVEL',
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    about: 'Least severe log line that is written.',
  })
  readonly level!: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
}
