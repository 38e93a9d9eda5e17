import { errors, type Dispatcher } from 'undici';
import { EgressError } from './egress-error.js';

/** One request with its redirects: its time, and whether a byte of it was written. */
export class GuardedCall {
  private readonly control = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly gaveUp: () => void;
  private started = false;

  constructor(
    timeoutMs: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    const stop = (reason: 'timeout' | 'aborted', text: string): void =>
      this.control.abort(new EgressError(reason, this.started, text, { cause: outer?.reason }));
    this.timer = setTimeout(() => stop('timeout', `no whole answer in ${timeoutMs} ms`), timeoutMs);
    this.gaveUp = () => stop('aborted', 'the request was given up');
    outer?.addEventListener('abort', this.gaveUp, { once: true });
    if (outer?.aborted === true) this.gaveUp();
  }

  get signal(): AbortSignal {
    return this.control.signal;
  }

  /**
   * Notes the moment before the first byte: undici calls `onRequestStart` when it has a connection and before it writes. A request
   * that was given up before is ended at that moment, so "not started" stays true.
   */
  watch(dispatcher: Dispatcher): Dispatcher {
    return dispatcher.compose((dispatch) => (options, handler) => {
      const begin = handler.onRequestStart?.bind(handler);
      const watched: Dispatcher.DispatchHandler = new Proxy(handler, {
        get: (target, name) => {
          if (name === 'onRequestStart') return started;
          const member: unknown = Reflect.get(target, name, target);
          return typeof member === 'function' ? (member.bind(target) as unknown) : member;
        },
      });
      const started: Dispatcher.DispatchHandler['onRequestStart'] = (controller, context) => {
        if (!this.signal.aborted) this.started = true;
        begin?.(controller, context);
      };
      return dispatch(options, watched);
    });
  }

  /** Rejects as soon as the request is given up, also while its connection is being made. */
  race<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const stop = (): void => reject(this.signal.reason as EgressError);
    if (this.signal.aborted) stop();
    this.signal.addEventListener('abort', stop, { once: true });
    return Promise.race([work, promise]).finally(() => this.signal.removeEventListener('abort', stop));
  }

  describe(cause: unknown): EgressError {
    if (this.signal.aborted) return this.signal.reason as EgressError;
    if (cause instanceof EgressError) {
      return cause.sent === this.started || cause.sent
        ? cause
        : new EgressError(cause.reason, true, cause.message, { cause });
    }
    const { reason, text } = explain(cause);
    return new EgressError(reason, this.started, text, { cause });
  }

  end(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener('abort', this.gaveUp);
  }
}

function explain(cause: unknown): { reason: 'request' | 'protocol' | 'broken'; text: string } {
  if (cause instanceof errors.InvalidArgumentError)
    return { reason: 'request', text: 'a header or the method cannot be sent' };
  const overflow = cause instanceof errors.HeadersOverflowError;
  if (overflow || cause instanceof errors.HTTPParserError) {
    return { reason: 'protocol', text: overflow ? 'the headers of the answer are too large' : 'the answer is no HTTP' };
  }
  return { reason: 'broken', text: 'the connection broke before the whole answer was there' };
}
