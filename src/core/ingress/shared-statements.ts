import { SandgateError } from '../../domain/errors.js';

interface Waiting<Item, Result> {
  item: Item;
  resolve: (answer: Result) => void;
  reject: (error: unknown) => void;
}

/** Sends items of one key together. @returns an answer for each, in their order */
export type SendTogether<Item, Result> = (key: string, items: Item[]) => Promise<Result[]>;

/**
 * Statements that callers share under load: the first item of a key leaves at once; those that arrive while it is on its way leave
 * together when it is back. What is answered was therefore read or written after the item arrived, as if it had gone alone. Items must
 * bear being sent twice: those that failed together are sent one by one.
 */
export class SharedStatements<Item, Result> {
  /** By key, the longest waiting first. */
  private readonly waiting = new Map<string, Waiting<Item, Result>[]>();
  private readonly underWay = new Set<string>();

  constructor(
    private readonly send: SendTogether<Item, Result>,
    private readonly limits: { items: number; atOnce: number },
  ) {}

  make(key: string, item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const others = this.waiting.get(key);
      if (others === undefined) this.waiting.set(key, [{ item, resolve, reject }]);
      else others.push({ item, resolve, reject });
      this.next();
    });
  }

  private next(): void {
    for (const [key, items] of this.waiting) {
      if (this.underWay.size >= this.limits.atOnce) return;
      if (this.underWay.has(key)) continue;
      this.waiting.delete(key);
      // What does not fit waits behind the other keys.
      if (items.length > this.limits.items) this.waiting.set(key, items.splice(this.limits.items));
      this.underWay.add(key);
      void this.sendAll(key, items).finally(() => {
        this.underWay.delete(key);
        this.next();
      });
    }
  }

  private async sendAll(key: string, items: Waiting<Item, Result>[]): Promise<void> {
    try {
      const answers = await this.send(
        key,
        items.map(({ item }) => item),
      );
      if (answers.length !== items.length) throw new Error(`${items.length} items had ${answers.length} answers`);
      items.forEach(({ resolve }, index) => resolve(answers[index]!));
    } catch (error) {
      // A database that is away refuses each of them alike.
      const alone = items.length > 1 && !(error instanceof SandgateError);
      if (alone) for (const one of items) await this.sendAll(key, [one]);
      else for (const { reject } of items) reject(error);
    }
  }
}
