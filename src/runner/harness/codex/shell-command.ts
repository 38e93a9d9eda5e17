const SHELLS = /^(?:\/(?:usr\/(?:local\/)?)?bin\/)?(?:ba|da)?sh\s+-l?c\s+/;

/**
 * The command line that the program wraps before it asks: one layer of `bash -c`, `sh -lc` and their kin, and one layer of
 * quotes, are taken off (docs/design/runner.md). A text of any other shape is returned as it is; so is zsh's, whose language is not the one
 * that the gate reads.
 */
export function unwrapShell(command: string): string {
  const wrapper = SHELLS.exec(command);
  if (wrapper === null) return command;
  return unquote(command.slice(wrapper[0].length)) ?? command;
}

/** One shell word as the program writes them: pieces in single or double quotes or plain, in any mixture. Null for anything else. */
function unquote(text: string): string | null {
  let word = '';
  let rest = text;
  while (rest !== '') {
    const piece = /^'([^']*)'|^"((?:[^"\\]|\\[\s\S])*)"|^([A-Za-z0-9_@%+=:,./\]-]+)/.exec(rest);
    if (piece === null) return null;
    const [whole, single, double, plain] = piece;
    if (double !== undefined) word += double.replace(/\\([$`"\\!])/g, '$1');
    else word += single ?? plain ?? '';
    rest = rest.slice(whole.length);
  }
  return word;
}
