/** What a run came to, as its receivers and those who poll for it read it. */
export interface RunResult {
  run: {
    id: string;
    status: string;
    status_reason: string | null;
    agent_id: string;
    agent_revision_id: string;
    agent_name: string;
    task: string;
    summary: string | null;
    /** How the run was started, as it was frozen. */
    invocation: object;
    created_at: string;
    started_at: string | null;
    finished_at: string | null;
  };
  usage: {
    input_tokens: number;
    output_tokens: number;
    cache_read_tokens: number;
    cache_write_tokens: number;
    cost_usd: number;
    requests: number;
    tool_calls: number;
  };
  /** The diff among them, each with its content. */
  artifacts: { id: string; kind: string; name: string; content_type: string; content: string }[];
}

/** The body of a callback; null where nobody delivers it, because somebody asks for it. */
export interface ResultBody extends RunResult {
  event: 'run.finished';
  delivery_id: string | null;
  attempt: number | null;
}

export function resultBody(result: RunResult, delivery: { id: string; attempt: number } | null): ResultBody {
  return { event: 'run.finished', delivery_id: delivery?.id ?? null, attempt: delivery?.attempt ?? null, ...result };
}
