/** A noncharacter. In the sentence of a rule it stands for a dollar sign, because class-validator replaces `$value` and the like. */
const STAND_IN = '\uffff';

/** A sentence with words of the caller, as a rule of a DTO hands it to class-validator. */
export function verbatim(sentence: string): string {
  return sentence.replaceAll('$', STAND_IN);
}

/** The sentence as it is told; one without words of the caller stays as it is. */
export function spoken(sentence: string): string {
  return sentence.replaceAll(STAND_IN, '$');
}
