import { boolean, defineOptions, group, integer, list, OptionKind, oneOf, wrong } from '../options/define-options.js';
import { REDACTED, sanitizeLines, sanitizeLogString } from './log-text.js';

/** The action for a value, according to its key. */
export type KeyAction =
  | 'redact'
  /** Redacted unless it is a finite number: `max_tokens`. */
  | 'counter'
  | 'card'
  | 'restricted'
  /** A card if it has 12 digits or more. */
  | 'number'
  | 'clean';

/** Judges a key (without control characters) inside a parent (in the form of {@link normalizeKey}). */
export type KeyJudge = (key: string, parent: string, exactOnly?: boolean) => KeyAction;

/** True if the values of a key (in the form of {@link normalizeKey}) are never treated as card numbers. */
export type KeepsKey = (normalized: string) => boolean;

/** In the form of {@link normalizeKey}: at import it is faster to remove the underscores of all words in one call. */
const words = (text: string) => text.replaceAll('_', '').split(' ');

/** Fields of HTTP that carry a credential. */
const HTTP_FIELDS = words('authorization authorization_header proxy_authorization cookie set_cookie');
const ALWAYS = HTTP_FIELDS.concat(
  words(
    'password passwd pwd passphrase pin otp secret private_key secret_key signing_key encryption_key token access_token ' +
      'refresh_token id_token session_token security_token jwt client_secret client_assertion code_verifier api_key ' +
      'api_token x_api_key authorization_id ' +
      'credential credentials connection_string cvv cvv2 cvc cvc2 security_code cardholder cardholder_name',
  ),
);
const ALLOWED = words(
  'card_bin card_brand card_type transaction_id merchant_id merchant_uid mid acceptor_id terminal_id tid token_type',
);
const CARDS = words('card_number pan pan_value primary_account_number');
const RESTRICTED = words('ssn tin tax_id ein api_key_id account_number');
const CARD_PARENTS: readonly string[] = ['cardwithpandetails', 'cardpandetails', 'pandetails'];

const TABLE: ReadonlyMap<string, KeyAction> = new Map<string, KeyAction>([
  ...RESTRICTED.map((key) => [key, 'restricted'] as const),
  ['number', 'number'],
  ...CARDS.map((key) => [key, 'card'] as const),
  ...ALLOWED.map((key) => [key, 'clean'] as const),
  ...ALWAYS.flatMap((key) => [[key, 'redact'] as const, [`${key}s`, 'redact'] as const]),
]);
const NEVER_OPENED: ReadonlySet<string> = new Set(ALWAYS.flatMap((key) => [key, `${key}s`]));

const STEM = /token|secret|passw|pwd|passphrase|jwt|cookie|credential|authori[sz]ation|key|code/i;
const SECRET_WORD = /^(?:token|secret|password|passwd|pwd|passphrase|jwt|cookie|credential|authorization)s?$/;
const KEY_OWNER = /^(?:api|private|secret|signing|encryption|access|shared|master)$/;

/** A key in the form for lookups: trimmed, in lower case, without `_`, `-`, `.` and blanks. */
export function normalizeKey(key: string): string {
  const lower = key.toLowerCase();
  return /[_\-.\s]/.test(lower) ? lower.replace(/[_\-.\s]+/g, '') : lower;
}

/** True if no policy may open a key. */
export function isNeverOpened(normalized: string): boolean {
  return NEVER_OPENED.has(normalized);
}

/** The built-in judgement: the table, then the words of the key. */
const judgeKey: KeyJudge = (key, parent, exactOnly = false) => {
  const normalized = normalizeKey(key);
  const known = TABLE.get(normalized);
  if (known !== undefined) {
    return normalized === 'accountnumber' && CARD_PARENTS.includes(parent) ? 'card' : known;
  }
  return exactOnly ? 'clean' : judgeWords(key);
};

function judgeWords(key: string): KeyAction {
  if (!STEM.test(key)) return 'clean';
  let counter = false;
  let before = '';
  for (const word of splitWords(key)) {
    if (word === 'tokens') counter = true;
    else if (SECRET_WORD.test(word)) return 'redact';
    else if ((word === 'key' || word === 'keys') && KEY_OWNER.test(before)) return 'redact';
    else if (word === 'code' && (before === 'authorization' || before === 'auth')) return 'redact';
    before = word;
  }
  return counter ? 'counter' : 'clean';
}

/** Splits at every character but ASCII letters and digits, and at changes of case: `aB`, `1B`, and before the last capital of `ABc`. */
function splitWords(key: string): string[] {
  return key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

/** True for a field of HTTP that carries a credential, also outside headers: `authorization`, `cookie`, `cookies`. */
export function isHttpCredential(key: string): boolean {
  const normalized = normalizeKey(key);
  return HTTP_FIELDS.some((field) => normalized === field || normalized === `${field}s`);
}

/** True if the value of a key is never written unchanged. */
export function isSensitiveKey(key: string): boolean {
  return judgeKey(key, '') !== 'clean';
}

/** The action of a policy for a value: sanitize it as usual, replace it, or show its last digits. */
export type PolicyAction = 'allow' | 'redact' | 'mask';

/** Additions of a service to the built-in table. Key comparison ignores case, `_`, `-`, `.` and blanks. */
export interface SanitizerPolicy {
  /** Keys whose values are shown, after sanitization. Keys that are always redacted (passwords, tokens, …) remain redacted. */
  readonly allow?: readonly string[];
  /** Keys whose values become `[REDACTED]`. */
  readonly redact?: readonly string[];
  /** Keys of which the last 4 of 8 digits or more are shown. */
  readonly mask?: readonly string[];
  /** A rule for a key inside a parent; takes precedence over a rule for the key alone. */
  readonly rules?: readonly PolicyRule[];
  /**
   * Keys whose values are never treated as card numbers, for example of order numbers. A string, a number or a list of them under
   * such a key is kept; members of an object have their own keys. Rules for keys still apply: `card_number` remains masked.
   */
  readonly keepKeys?: readonly string[];
  /** Limits for large values. */
  readonly limits?: Partial<SanitizerLimits>;
  /**
   * True if line feeds and tabs of values are kept, for a page or a terminal that shows several lines. Default `false`: they are
   * removed with the other control characters, so that a string is always one line. A secret that is broken over lines
   * is then recognized only if it is a private key in PEM form.
   */
  readonly keepLineBreaks?: boolean;
}

/** A rule for a key inside a parent. */
export interface PolicyRule {
  /** The key of the object that contains the value. */
  readonly parent: string;
  /** The key of the value. */
  readonly key: string;
  /** The action for the value. */
  readonly action: PolicyAction;
}

/** Limits of written values; the rest is left out and marked. */
export interface SanitizerLimits {
  /** Levels of containers; default 8. */
  readonly depth: number;
  /** Entries of one container; default 200. */
  readonly entries: number;
  /** Values of one call; default 10,000. */
  readonly nodes: number;
  /** Bytes of one string; default 8,192. */
  readonly stringBytes: number;
}

const ACTIONS: Readonly<Record<PolicyAction, KeyAction>> = { allow: 'clean', redact: 'redact', mask: 'restricted' };

const LIMITS: SanitizerLimits = { depth: 8, entries: 200, nodes: 10_000, stringBytes: 8192 };

/** A key in the form of {@link normalizeKey}. */
const KEY = new OptionKind<string>('a key that is not blank', (value, place) => {
  const normalized = typeof value === 'string' ? normalizeKey(value) : '';
  if (normalized === '') throw wrong(place, 'a key that is not blank');
  return normalized;
});
/** The kind of options that are lists of keys. */
export const KEYS = list(KEY, 'a list of keys').default([]);

/** Validators and defaults for {@link SanitizerPolicy}. */
export const SANITIZER_POLICY = defineOptions<SanitizerPolicy>()({
  allow: KEYS,
  redact: KEYS,
  mask: KEYS,
  rules: list(
    group<PolicyRule>()({
      parent: KEY.required(),
      key: KEY.required(),
      action: oneOf('allow', 'redact', 'mask').required(),
    }),
    'a list of { parent, key, action }',
  ).default([]),
  keepKeys: KEYS,
  limits: group<SanitizerLimits>()({
    depth: integer(1).default(LIMITS.depth),
    entries: integer(1).default(LIMITS.entries),
    nodes: integer(1).default(LIMITS.nodes),
    stringBytes: integer(1).default(LIMITS.stringBytes),
  }).default(LIMITS),
  keepLineBreaks: boolean.default(false),
});

/** A policy in the form for a walk over a value. */
export interface ParsedPolicy {
  readonly judge: KeyJudge;
  /** `undefined` for no such key. */
  readonly keeps: KeepsKey | undefined;
  readonly limits: SanitizerLimits;
  /** Removes control characters from a value. */
  readonly toSafeText: (text: string) => string;
}

/** @throws FrameworkError `app.invalid_configuration` for an unknown option, action or limit, or a blank key */
export function parsePolicy(policy: SanitizerPolicy): ParsedPolicy {
  const { keepKeys, limits, keepLineBreaks, ...keys } = SANITIZER_POLICY.parse(policy);
  const kept = new Set(keepKeys);
  const keeps = kept.size === 0 ? undefined : (key: string) => kept.has(key);
  return { judge: judgeOf(keys), keeps, limits, toSafeText: keepLineBreaks ? sanitizeLines : sanitizeLogString };
}

function judgeOf({
  allow,
  redact,
  mask,
  rules,
}: Required<Pick<SanitizerPolicy, 'allow' | 'redact' | 'mask' | 'rules'>>): KeyJudge {
  const inParent = new Map(rules.map(({ parent, key, action }) => [`${parent}\n${key}`, ACTIONS[action]]));
  // The strictest of two plain rules for one key applies, so it is set last.
  const plain = new Map<string, KeyAction>();
  for (const key of allow) plain.set(key, ACTIONS.allow);
  for (const key of mask) plain.set(key, ACTIONS.mask);
  for (const key of redact) plain.set(key, ACTIONS.redact);
  if (plain.size === 0 && inParent.size === 0) return judgeKey;
  return (key, parent, exactOnly) => {
    const normalized = normalizeKey(key);
    const action = inParent.get(`${parent}\n${normalized}`) ?? plain.get(normalized);
    return action === undefined || isNeverOpened(normalized) ? judgeKey(key, parent, exactOnly) : action;
  };
}

const MAX_STARS = 32;

/** The digits of a value, without other characters. */
export function digitsOf(value: string | number | bigint): string {
  return String(value).replace(/[^0-9]+/g, '');
}

function stars(count: number): string {
  return '*'.repeat(Math.min(count, MAX_STARS));
}

/** First 6 and last 4 of 13 digits or more; last 4 of 9 to 12; no digits of fewer. */
export function maskCard(value: string | number | bigint): string {
  const digits = digitsOf(value);
  if (digits.length >= 13) return digits.slice(0, 6) + stars(digits.length - 10) + digits.slice(-4);
  if (digits.length >= 9) return stars(digits.length - 4) + digits.slice(-4);
  return digits.length > 0 ? '****' : REDACTED;
}

/** Last 4 of 8 digits or more; no digits of fewer. */
export function maskRestricted(value: string | number | bigint): string {
  const digits = digitsOf(value);
  return digits.length >= 8 ? stars(digits.length - 4) + digits.slice(-4) : REDACTED;
}

/** Stars and the last 4 characters; of 8 characters or fewer only stars. */
export function maskLast4(value: string): string {
  const characters = [...value.slice(-8)];
  return value.length > 8 ? stars(value.length - 4) + characters.slice(-4).join('') : '****';
}

/**
 * `prefix***suffix` with the given number of characters (code points) of each end; `(empty)` for `''`; `***masked***` when
 * the lengths are not whole numbers from 0 or would show the whole value.
 */
export function maskFirstLast(value: string, first: number, last: number): string {
  if (value === '') return '(empty)';
  const characters = [...value];
  const whole = Number.isInteger(first) && Number.isInteger(last) && first >= 0 && last >= 0;
  if (!whole || characters.length <= first + last) return '***masked***';
  return `${characters.slice(0, first).join('')}***${characters.slice(characters.length - last).join('')}`;
}

/** {@link maskFirstLast} with 4 characters of each end. */
export function maskFirstLast4(value: string): string {
  return maskFirstLast(value, 4, 4);
}
