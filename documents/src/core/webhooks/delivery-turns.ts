/** Attempts that may be under way at the same time in one process: a tenth and a half of what a worker makes at once. */
const MOST = { ofWebhook: 10, ofOrganization: 50 };

/** Whose turn it is, so that receivers which take their time never hold all the places of a worker. */
export class DeliveryTurns {
  private readonly taken = new Map<string, number>();

  constructor(private readonly most: { ofWebhook: number; ofOrganization: number } = MOST) {}

  /** Takes a place for an attempt. @returns what gives it back; null when webhook or organization have no more */
  take({ orgId, webhookId }: { orgId: string; webhookId: string }): (() => void) | null {
    if (this.count(webhookId) >= this.most.ofWebhook || this.count(orgId) >= this.most.ofOrganization) return null;
    this.add(webhookId, 1);
    this.add(orgId, 1);
    return () => {
      this.add(webhookId, -1);
      this.add(orgId, -1);
    };
  }

  private count(id: string): number {
    return this.taken.get(id) ?? 0;
  }

  private add(id: string, change: number): void {
    const count = this.count(id) + change;
    if (count === 0) this.taken.delete(id);
    else this.taken.set(id, count);
  }
}
