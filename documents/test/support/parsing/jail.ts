import { ParserJail } from '../../../src/platform/parsing/parser-jail.js';
import { runConfined } from '../../../../src/platform/sandbox/bubblewrap/confined.js';

/** A jail as the worker makes it. @param programs folder of other programs in the place of those of this installation */
export function testJail(programs?: string): ParserJail {
  return new ParserJail({
    confine: runConfined,
    uidBase: 870_100,
    ...(programs === undefined ? {} : { programs }),
    // What a program says of its own failure is all that a person sees of a test that fails.
    onErrors: (text) => {
      if (process.env['SHOW_PARSER_ERRORS'] !== undefined) process.stderr.write(text);
    },
  });
}
