import { isInFramePath } from './frame-path.js';

/**
 * Prefixes and lengths of Visa, Mastercard, American Express, Diners Club, JCB, Discover, UnionPay and Maestro, as the networks
 * publish them (ISO/IEC 7812; `test/cards.ts` has the pages). Maestro's wide ranges are used from 17 digits: with 16 digits they
 * would match one order number in seven.
 */
const ISSUED =
  /^(?:4\d{12}(?:\d{3}){0,2}|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}|3(?:0[0-5]\d|095|[689]\d\d)\d{10,15}|(?:3088|35(?:2[89]|[3-8]\d)|6011|64[4-9]\d|65\d\d|81(?:[0-6]\d|7[01]))\d{12,15}|62\d{12,17}|(?:50(?:1[89]|20|33|38)|5641|5893|6304|6390|633\d|67\d\d)\d{9,15}|(?:5[06-8]|6\d)\d{15,17})$/;

/** Separators of groups; `%20` and `+` are blanks of a URL. */
const SEPARATORS = /%20|[ +-]/g;
/**
 * Digits in the groups of a card number: one, 4-4-4-4 with another last group or one more (the first four of them are captured), 4-6-5,
 * 4-6-4, 8-8, 6-13. They begin after anything but a digit, or after a percent escape.
 */
const CANDIDATE = /* @__PURE__ */ new RegExp(
  '(?=\\d)(?:(?<!\\d)|(?<=%\\d\\d))(?:\\d{13,19}|(\\d{4}_\\d{4}_\\d{4}_\\d{1,4})(?!\\d)(?:_\\d{1,3})?|\\d{4}_\\d{6}_\\d{4,5}|\\d{8}_\\d{8}|\\d{6}_\\d{13})(?!\\d)'.replaceAll(
    '_',
    '(?:[ +-]|%20)',
  ),
  'g',
);

/** A UUID, a `traceparent` (W3C Trace Context) and the start of an `X-Amzn-Trace-Id` (AWS X-Ray, tracing header). */
const IDENTIFIER =
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}|=1-[\da-f]{8}-[\da-f]{24};Parent=[\da-f]{16}/gi;
const LONGEST_IDENTIFIER = 70;
const MIN_HEX = 20;
/** Hexadecimal digits next to a number. Letters of a word, as in `card4111…`, are not among them. */
const HEX_BEFORE = /(?:[g-z][a-f]*)?([\da-f]*)$/i;
const HEX_AFTER = /^([\da-f]*?)(?:[a-f]*[g-z]|(?![\da-f]))/i;
const DATE = /^\D(?:19|20)\d\d-(?:0\d|1[0-2])-[0-3]\d(?!\d)/;

/** True if digits are a card number: an issuer's prefix and length, and the check digit of ISO/IEC 7812-1, annex B. */
function isCardNumber(digits: string): boolean {
  if (!ISSUED.test(digits)) return false;
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 48;
    const doubled = digit * 2;
    sum += place % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** True if a number is a card number: 15 or 16 digits. */
export function isCardValue(value: number): boolean {
  return value >= 1e14 && value < 1e16 && isCardNumber(String(value));
}

/**
 * The text with each card number replaced, even after letters, in a URL or in groups. Digits of an identifier, a file
 * path of a stack frame, a decimal fraction or an ISO date are not card numbers.
 *
 * @param isKept true if the caller keeps the digits at a place
 */
export function replaceCards(
  text: string,
  mask: (digits: string) => string,
  isKept: (text: string, start: number) => boolean = () => false,
): string {
  let out = '';
  let done = 0;
  CANDIDATE.lastIndex = 0;
  for (let match = CANDIDATE.exec(text); match; match = CANDIDATE.exec(text)) {
    const { 0: longest, 1: shorter, index } = match;
    const card = isCardAt(text, index, longest) ? longest : isCardAt(text, index, shorter) ? shorter : undefined;
    CANDIDATE.lastIndex = index + (card?.length ?? 1);
    if (card === undefined || isKept(text, index)) continue;
    out += text.slice(done, index) + mask(card.replace(SEPARATORS, ''));
    done = CANDIDATE.lastIndex;
  }
  return done === 0 ? text : out + text.slice(done);
}

function isCardAt(text: string, start: number, candidate: string | undefined): candidate is string {
  if (candidate === undefined || !isCardNumber(candidate.replace(SEPARATORS, ''))) return false;
  return !isIdentifier(text, start, start + candidate.length);
}

function isIdentifier(text: string, start: number, end: number): boolean {
  const isFraction = /^\d\.$/.test(text.slice(Math.max(0, start - 2), start));
  // The year of a date is a group that ends the number.
  const isDate = DATE.test(text.slice(Math.max(0, end - 5), end + 7));
  return isFraction || isDate || isHex(text, start, end) || isInId(text, start, end) || isInFramePath(text, start, end);
}

/** True if a number begins or ends inside at least 20 hexadecimal characters with a letter, as hashes and trace ids have. */
function isHex(text: string, start: number, end: number): boolean {
  const left = HEX_BEFORE.exec(text.slice(Math.max(0, start - MIN_HEX - 1), start))?.[1] ?? '';
  const right = HEX_AFTER.exec(text.slice(end, end + MIN_HEX + 1))?.[1] ?? '';
  const parts = `${left}${text.slice(start, end)}${right}`.split(SEPARATORS);
  return parts.some((part) => part.length >= MIN_HEX && /[a-f]/i.test(part));
}

function isInId(text: string, start: number, end: number): boolean {
  const from = Math.max(0, start - LONGEST_IDENTIFIER);
  for (const { 0: id, index } of text.slice(from, end + LONGEST_IDENTIFIER).matchAll(IDENTIFIER)) {
    if (from + index <= start && from + index + id.length >= end) return true;
  }
  return false;
}
