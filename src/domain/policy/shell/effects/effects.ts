/** A file that a program opens because an option or its script says so. */
export interface FileEffect {
  text: string;
  /** As the program gets it; null when only the run decides. */
  path: string | null;
}

/** A word that turns a program into something that its name does not promise. */
export interface Hazard {
  /** Index of the last such word in the command, the program being 0: a prefix that holds it allows it knowingly. */
  at: number;
  /** For a person. */
  why: string;
}

/** What a command does beyond its name: it runs or loads something (`hazard`), or opens files through options (CP-338). */
export interface Effects {
  hazard: Hazard | null;
  writes: FileEffect[];
  reads: FileEffect[];
}

/** Of two hazards the later one: a prefix has to hold every such word, so it has to hold the last. */
export function laterHazard(known: Hazard | null, next: Hazard): Hazard {
  return known === null || next.at > known.at ? next : known;
}

export const NO_EFFECTS: Effects = Object.freeze({ hazard: null, writes: [], reads: [] });

export function onlyHazard(at: number, why: string): Effects {
  return { hazard: { at, why }, writes: [], reads: [] };
}
