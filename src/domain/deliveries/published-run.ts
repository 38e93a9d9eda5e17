/** What is told of a run where its result is published. */
export interface PublishedRun {
  id: string;
  status: string;
  agentName: string;
  summary: string | null;
  /** The commit that it worked on. */
  commit: string | null;
  /** ISO 8601. */
  finishedAt: string;
}

/** The trigger in whose name a result is published. */
export interface PublishingTrigger {
  id: string;
  name: string;
}

/** By which a later run of the trigger finds again what an earlier one published. */
export function handleOf({ id }: Pick<PublishingTrigger, 'id'>): string {
  return `service:sub:${id}`;
}

/** The name of its check, and of its commit status. */
export function checkNameOf({ name }: Pick<PublishingTrigger, 'name'>): string {
  return `service/${name}`;
}
