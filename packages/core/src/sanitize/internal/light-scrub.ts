import { decodePercent } from '../../request/percent.js';
import { sanitizeLogString } from '../log-text.js';

/**
 * The scrubbing of the few short texts in records that a client chooses: path, correlation id, detail type. The whole
 * sanitizer (`scrubFreeText`) would weigh more than the pipeline that calls this, and a bundler puts a lazy import into the
 * same file; so these texts get a rule of their own, small and stricter: a word that holds a secret goes as a whole.
 */
const SECRET =
  /eyJ|A[KS]IA[A-Z0-9]{16}|@|(?:^|\D)\d{3}-\d\d-\d{4}(?!\d)|(?:bearer|basic)[\s=:]|(?:pass|pwd|pin|otp|secret|token|jwt|auth|cookie|credential|key|code|cv[vc]|signature|ssn|tax|tin|ein|card|pan|account)[\w.-]*[=:]/i;
const DIGITS = /\d(?:[ -]?\d){12,}/g;

/** Words that are plain at first sight, as nearly all are. */
const PLAIN = /^[\w./~!$()*+,{}-]*$/;
const MANY_DIGITS = /\d(?:[ -]?\d){8}/;

/**
 * A short text of a client's as it may stand in a record: without control characters, at most `limit` characters, words
 * (between slashes, blanks, `;` or `&`) that hold a secret replaced.
 */
export function scrubWords(text: string, limit: number): string {
  const clean = sanitizeLogString(text);
  const cut = clean.length > limit ? clean.slice(0, limit) : clean;
  if (PLAIN.test(cut) && !MANY_DIGITS.test(cut) && !cut.includes('eyJ') && !/A[KS]IA/.test(cut)) return cut;
  const scrubbed = cut.replace(/[^/\s;&]+/g, (word) => (holdsSecret(word) ? '[REDACTED]' : word));
  return holdsCardNumber(scrubbed) ? '[REDACTED]' : scrubbed.slice(0, limit);
}

function holdsSecret(word: string): boolean {
  const plain = decodePercent(word);
  return SECRET.test(plain) || holdsCardNumber(plain);
}

function holdsCardNumber(text: string): boolean {
  if (!MANY_DIGITS.test(text)) return false;
  return (text.match(DIGITS) ?? []).some((run) => {
    const digits = run.replace(/[ -]/g, '');
    return digits.length <= 19 ? passesLuhn(digits) : / |-/.test(run);
  });
}

/** The check of ISO/IEC 7812-1, annex B. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 48;
    const doubled = digit * 2;
    sum += place % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
