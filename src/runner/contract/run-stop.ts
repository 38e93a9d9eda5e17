import { setMaxListeners } from 'node:events';

/** Why a run ends before its harness does. */
export type StopReason =
  | { kind: 'quiesce' }
  | { kind: 'wrong_audience'; route: string }
  | { kind: 'ungoverned_tool'; message: string };

/**
 * Stops a run from within: a directive of the heartbeat, or a credential refused for good. The first
 * request wins. A late listener is still told, because an abort signal keeps its state.
 */
export class RunStop {
  readonly #controller = new AbortController();
  readonly #requested = Promise.withResolvers<StopReason>();
  #reason: StopReason | null = null;

  constructor() {
    // Every call in flight listens, and a run may have a hundred of them.
    setMaxListeners(0, this.#controller.signal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get reason(): StopReason | null {
    return this.#reason;
  }

  /** Settles with the reason when the run is told to stop; never rejects. */
  get requested(): Promise<StopReason> {
    return this.#requested.promise;
  }

  request(reason: StopReason): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#controller.abort(new Error(`the run is stopping: ${reason.kind}`));
    this.#requested.resolve(reason);
  }
}
