import { KnownMembers } from './known-members.js';
import type { DescribedRequests } from './schema.js';

/** The interface description as it is served and enforced. */
export class OpenApiHolder {
  #json = '{}';
  #knownMembers = new KnownMembers({ paths: {} });

  get json(): string {
    return this.#json;
  }

  get knownMembers(): KnownMembers {
    return this.#knownMembers;
  }

  set(json: string): void {
    this.#json = json;
    this.#knownMembers = new KnownMembers(JSON.parse(json) as DescribedRequests);
  }
}
