/** A word as the reader of the language understood it. */
export interface UnderstoodWord {
  /** As written. */
  text: string;
  /** After quote removal; null where an expansion decides. */
  value: string | null;
}

/** A redirect: the descriptor and operator as written, and the word behind them. */
export interface UnderstoodRedirect {
  operator: string;
  target: UnderstoodWord;
}

/** What the reader understood of a line that is written in the language. */
export interface UnderstoodLine {
  /** Assignments, program and arguments of every simple command, those in substitutions included. */
  commands: readonly (readonly UnderstoodWord[])[];
  /** Redirects of simple and compound commands; here-documents name no file and are not listed. */
  redirects: readonly UnderstoodRedirect[];
  /** The line written anew in one way: what bash makes of it is what it makes of the line. */
  canonical: string;
}
