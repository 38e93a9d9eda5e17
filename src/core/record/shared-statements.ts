import pg from 'pg';

interface Waiting<Item, Result> {
  item: Item;
  resolve: (answer: Result) => void;
  reject: (error: unknown) => void;
}

/** A statement that many callers make for one key: an organization, or nothing in particular. */
export interface SharedStatement<Item, Result> {
  /** @returns an answer for each item, in their order; undefined for one that has to go alone */
  together(key: string, items: Item[]): Promise<(Result | undefined)[]>;
  /** On a connection of its own, where it may wait while the others go on. */
  alone(key: string, item: Item): Promise<Result>;
  /** Items of one statement. */
  items: number;
  /** Statements under way at once, each of a key of its own. */
  atOnce: number;
}

/**
 * Statements that callers share under load: the first item of a key leaves at once; those that arrive while it is on its way leave
 * together when it is back. What is answered was therefore read or written after the item arrived, as if it had gone alone. One that
 * fails makes no other one fail.
 */
export class SharedStatements<Item, Result> {
  /** By key, the longest waiting first. */
  private readonly waiting = new Map<string, Waiting<Item, Result>[]>();
  private readonly underWay = new Set<string>();

  constructor(private readonly statement: SharedStatement<Item, Result>) {}

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
      if (this.underWay.size >= this.statement.atOnce) return;
      if (this.underWay.has(key)) continue;
      this.waiting.delete(key);
      // What does not fit waits behind the other keys.
      if (items.length > this.statement.items) this.waiting.set(key, items.splice(this.statement.items));
      this.underWay.add(key);
      void this.sendAll(key, items).finally(() => {
        this.underWay.delete(key);
        this.next();
      });
    }
  }

  private async sendAll(key: string, items: Waiting<Item, Result>[]): Promise<void> {
    try {
      const answers = await this.statement.together(
        key,
        items.map(({ item }) => item),
      );
      items.forEach((one, index) => {
        const answer = answers[index];
        if (answer === undefined) this.sendAlone(key, one);
        else one.resolve(answer);
      });
    } catch (error) {
      const again = items.length > 1 && wasUndone(error);
      for (const one of items) {
        if (again) this.sendAlone(key, one);
        else one.reject(error);
      }
    }
  }

  private sendAlone(key: string, { item, resolve, reject }: Waiting<Item, Result>): void {
    this.statement.alone(key, item).then(resolve, reject);
  }
}

/** Whether the server refused the statement, so that it had no effect; after a lost connection this is unknown. */
function wasUndone(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof pg.DatabaseError && !/^(08|57P|58|XX)/.test(cause.code ?? '');
}
