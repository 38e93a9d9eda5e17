import { readFileSync } from 'node:fs';
import { until } from '../time/until.js';

/** For an installation whose programs are looked into: each opens its inspector at a port that nothing else has. */
export const INSPECTABLE: NodeJS.ProcessEnv = { NODE_OPTIONS: '--inspect-port=0' };

const HELD = '(({ heapUsed, external, arrayBuffers }) => heapUsed + external + arrayBuffers)(process.memoryUsage())';

/** Another Node program, spoken to over its inspector. */
export class InspectedProcess {
  readonly #answers = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  #asked = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener('message', ({ data }) => this.settle(String(data)));
    socket.addEventListener('close', () => {
      for (const { reject } of this.#answers.values()) reject(new Error('the inspector went away'));
    });
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
    const address = (await until(addresses, (found) => found.length > known)).slice(known).at(-1);
    if (address === undefined) throw new Error(`process ${pid} opened no inspector, as far as ${log} tells`);
    const socket = new WebSocket(address);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    return new InspectedProcess(socket);
  }

  /** Bytes that the program holds on to; what nothing refers to any more is collected first, and does not count. */
  async heldMemory(): Promise<number> {
    // What the first one finds is given back while the program goes on; the second one waits for that.
    for (let collection = 0; collection < 2; collection += 1) await this.ask('HeapProfiler.collectGarbage');
    const { result } = await this.ask('Runtime.evaluate', { expression: HELD });
    return (result as { value: number }).value;
  }

  close(): void {
    this.socket.close();
  }

  private ask(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = (this.#asked += 1);
    const answer = Promise.withResolvers<Record<string, unknown>>();
    this.#answers.set(id, answer);
    this.socket.send(JSON.stringify({ id, method, params }));
    return answer.promise;
  }

  private settle(message: string): void {
    const { id, result, error } = JSON.parse(message) as {
      id?: number;
      result?: Record<string, unknown>;
      error?: { message: string };
    };
    const answer = id === undefined ? undefined : this.#answers.get(id);
    if (error !== undefined) answer?.reject(new Error(error.message));
    else answer?.resolve(result ?? {});
  }
}
