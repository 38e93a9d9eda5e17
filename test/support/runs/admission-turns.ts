import { expect } from '@jest/globals';

/** Reads them, with the rights of the owner. */
export const ADMITTED_RUNS = `
  select organization, id, place from (
    select tenant_id as organization, id, admitted_at,
           row_number() over (partition by tenant_id order by created_at, id)::int as place from sessions
  ) runs where admitted_at is not null order by admitted_at`;

/** A run that was given a place, in the order in which places were given. */
export interface AdmittedRun {
  organization: string;
  id: string;
  /** Its place in its organization by creation, from 1. */
  place: number;
}

/**
 * After each prefix no organization that still has runs to come is more than one turn behind any other, and inside each
 * organization the runs come in the order of their creation. All runs must have been in line before the first admission.
 */
export function expectTurnsKept(admitted: AdmittedRun[], organizations: string[]): void {
  const total = new Map(organizations.map((one) => [one, admitted.filter((run) => run.organization === one).length]));
  const turns = new Map(organizations.map((one) => [one, 0]));
  for (const [index, run] of admitted.entries()) {
    turns.set(run.organization, (turns.get(run.organization) ?? 0) + 1);
    const most = Math.max(...turns.values());
    for (const [organization, had] of turns) {
      if (had < (total.get(organization) ?? 0)) {
        expect({ index, organization, behind: most - had <= 1 }).toEqual({ index, organization, behind: true });
      }
    }
  }
  for (const organization of organizations) {
    const mine = admitted.filter((run) => run.organization === organization);
    expect(mine.map((run) => run.place)).toEqual(mine.map((_run, index) => index + 1));
  }
}
