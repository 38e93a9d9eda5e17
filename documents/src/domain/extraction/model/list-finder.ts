import type { ListTarget, ObjectTarget } from '../compile/target.js';
import type { ListAnswer, ObjectAnswer } from './answer.js';
import type { Reading, Scope } from './reading.js';

/** Answers an object whose values stand in a part of the document, as those of an item do in its lines. */
export type AnswerObject = (target: ObjectTarget, scope: Scope) => ObjectAnswer;

/** A way in which documents print lists. */
export interface ListFinder {
  /** Its name, as warnings and signals say it. */
  name: string;
  /** What it makes of a list, with its likelihood 0…1 to be what was meant; null where the part of the document prints no list in its way. */
  find(list: ListTarget, scope: Scope, reading: Reading, answer: AnswerObject): ListProposal | null;
}

export interface ListProposal {
  answer: ListAnswer;
  likelihood: number;
}
