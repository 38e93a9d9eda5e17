/** What was given as the secret of a callback. */
export interface SecretForm {
  /** What signs; null when it cannot be read out of the text. */
  key: Buffer | null;
  /** What is wrong with it for sure, to go on after "the secret"; null when nothing is. */
  fault: string | null;
  /** What is probably wrong with it if nothing fits; null when it looks right. */
  suspicion: string | null;
}

const OWN = 'svc_whsec_';
const STANDARD = 'whsec_';
const HEX_DIGITS = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Reads both forms of a callback's secret, and knows what people mistake for them. */
export function readSecretForm(text: string): SecretForm {
  const secret = text.trim();
  if (secret.startsWith(OWN)) return { key: Buffer.from(secret), fault: null, suspicion: ownSuspicion(secret) };
  if (secret.startsWith(STANDARD)) return standardForm(secret.slice(STANDARD.length));
  if (new RegExp(`^[0-9a-f]{${HEX_DIGITS}}$`).test(secret))
    return faulty(`lacks its beginning ${OWN}, which is a part of the key`, Buffer.from(`${OWN}${secret}`));
  if (secret.startsWith('svc_'))
    return faulty(
      `begins with ${/^svc_[a-z]*_?/.exec(secret)?.[0]} and is a token; a callback's secret begins with ${OWN}`,
    );
  if (BASE64.test(secret) && decoded(secret).toString().startsWith(OWN))
    return faulty(`lacks its beginning ${STANDARD}, by which libraries know the form`, decoded(secret));
  return faulty(secret === '' ? 'is empty' : `begins neither with ${OWN} nor with ${STANDARD}`);
}

function ownSuspicion(secret: string): string | null {
  const digits = secret.slice(OWN.length);
  if (/^[0-9a-f]*$/.test(digits)) {
    return digits.length === HEX_DIGITS
      ? null
      : `has ${digits.length} digits after ${OWN} instead of ${HEX_DIGITS}: a part is missing, or too much was copied`;
  }
  return `has characters after ${OWN} that are not lower-case hexadecimal digits`;
}

function standardForm(text: string): SecretForm {
  if (!BASE64.test(text)) return faulty(`is not base64 after ${STANDARD}`);
  return { key: decoded(text), fault: null, suspicion: null };
}

function decoded(text: string): Buffer {
  return Buffer.from(text, 'base64');
}

function faulty(fault: string, key: Buffer | null = null): SecretForm {
  return { key, fault, suspicion: null };
}
