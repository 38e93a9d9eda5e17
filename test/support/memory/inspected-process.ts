import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { until } from '../time/until.js';
import { bytesHeld } from './held-memory.js';

/** For an installation whose programs are looked into: each opens its inspector, when a signal asks it to, at a port of its own. */
export const INSPECTABLE: NodeJS.ProcessEnv = { NODE_OPTIONS: '--inspect-port=0' };

/** Another Node program, asked one thing at a time over its inspector. */
export class InspectedProcess {
  readonly #gone = new AbortController();

  private constructor(private readonly socket: WebSocket) {
    for (const end of ['close', 'error'])
      socket.addEventListener(end, () => this.#gone.abort(new Error('the inspector went away')));
  }

  /**
   * @param pid of a program that was started with {@link INSPECTABLE}
   * @param log where its standard error goes
   * @throws when it does not open its inspector
   */
  static async open(pid: number, log: string): Promise<InspectedProcess> {
    const addresses = (): string[] => readFileSync(log, 'utf8').match(/(?<=^Debugger listening on )ws:\S+$/gm) ?? [];
    const known = addresses().length;
    process.kill(pid, 'SIGUSR1');
    const address = (await until(addresses, (found) => found.length > known))[known];
    if (address === undefined) throw new Error(`process ${pid} opened no inspector, as far as ${log} tells`);
    const inspected = new InspectedProcess(new WebSocket(address));
    await inspected.next('open');
    return inspected;
  }

  /** Bytes that the program holds on to; what nothing refers to any more is collected first, and does not count. */
  async heldMemory(): Promise<number> {
    // What the first one finds is given back while the program goes on; the second one waits for that.
    for (let collection = 0; collection < 2; collection += 1) await this.ask('HeapProfiler.collectGarbage');
    const { result } = await this.ask('Runtime.evaluate', {
      expression: `(${bytesHeld.toString()})(process.memoryUsage())`,
    });
    return (result as { value: number }).value;
  }

  close(): void {
    this.socket.close();
  }

  private async ask(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const answered = this.next('message');
    this.socket.send(JSON.stringify({ id: 1, method, params }));
    const { data } = (await answered) as MessageEvent;
    const { result, error } = JSON.parse(String(data)) as {
      result?: Record<string, unknown>;
      error?: { message: string };
    };
    if (result === undefined) throw new Error(`the inspector refused ${method}: ${error?.message}`);
    return result;
  }

  private async next(event: 'open' | 'message'): Promise<Event> {
    const [happened] = (await once(this.socket, event, { signal: this.#gone.signal })) as [Event];
    return happened;
  }
}
