/** What starts the runs of a subscription; fixed when it is created. */
export const TRIGGER_KINDS = ['api', 'schedule', 'event'] as const;
export type TriggerKind = (typeof TRIGGER_KINDS)[number];

/** What happens to a new run while another one of the same subscription is not over. */
export const CONCURRENCY_POLICIES = ['allow', 'skip_if_running', 'replace'] as const;
export type ConcurrencyPolicy = (typeof CONCURRENCY_POLICIES)[number];

/** What is done about firings that nobody was there for. */
export const MISSED_RUN_POLICIES = ['skip', 'catch_up'] as const;
export type MissedRunPolicy = (typeof MISSED_RUN_POLICIES)[number];

/** Results that go to the code host, in the order in which they are published. */
export const PUBLISH_MODES = ['pr_comment', 'check'] as const;
export type PublishMode = (typeof PUBLISH_MODES)[number];

/** Why an invocation made no run. What failed otherwise is `error: <message>`. */
export const SKIP_REASONS = {
  overlap: 'overlap',
  missed: 'missed',
  unpersisted: 'replace_cancel_unpersisted',
  suspended: 'organization_suspended',
} as const;
