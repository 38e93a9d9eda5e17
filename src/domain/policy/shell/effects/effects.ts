/** A file that a program opens because an option or its script says so. */
export interface FileEffect {
  text: string;
  /** As the program gets it; null when only the run decides. */
  path: string | null;
}

/** A word that turns a program into something that its name does not promise. */
export interface Hazard {
  /** Index of the word in the command, the program being 0: a prefix that names the word allows it knowingly. */
  at: number;
  /** For a person. */
  why: string;
}

/** What a command does beyond its name: it runs or loads something (`hazard`), or opens files through options (06-gate §1). */
export interface Effects {
  hazard: Hazard | null;
  writes: FileEffect[];
  reads: FileEffect[];
}

export const NO_EFFECTS: Effects = Object.freeze({ hazard: null, writes: [], reads: [] });

export function onlyHazard(at: number, why: string): Effects {
  return { hazard: { at, why }, writes: [], reads: [] };
}
