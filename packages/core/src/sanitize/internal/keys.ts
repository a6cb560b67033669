/** What happens to a value because of its key. */
export type KeyAction =
  | 'redact'
  /** Redacted unless it is a finite number: `max_tokens`. */
  | 'counter'
  | 'card'
  | 'restricted'
  /** A card if it holds 12 digits or more. */
  | 'number'
  | 'clean';

/** Judges a key (without control characters) inside a parent (in the form of {@link normalizeKey}). */
export type KeyJudge = (key: string, parent: string, exactOnly?: boolean) => KeyAction;

const words = (text: string) => text.split(' ').map(normalizeKey);

const ALWAYS = words(
  'password passwd pwd passphrase pin otp secret private_key secret_key signing_key encryption_key token access_token ' +
    'refresh_token id_token session_token security_token jwt client_secret client_assertion code_verifier api_key ' +
    'api_token x_api_key authorization authorization_header authorization_id proxy_authorization cookie set_cookie ' +
    'credential credentials connection_string cvv cvv2 cvc cvc2 security_code cardholder cardholder_name',
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

/** A key as it is looked up: trimmed, in lower case, without `_`, `-`, `.` and blanks. */
export function normalizeKey(key: string): string {
  const lower = key.toLowerCase();
  return /[_\-.\s]/.test(lower) ? lower.replace(/[_\-.\s]+/g, '') : lower;
}

/** Whether no policy may open a key. */
export function isNeverOpened(normalized: string): boolean {
  return NEVER_OPENED.has(normalized);
}

/** The built-in judgement: the table, then the words that a key is made of. */
export const judgeKey: KeyJudge = (key, parent, exactOnly = false) => {
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

/** Splits at what is no ASCII letter or digit and at humps: `aB`, `1B`, and before the last capital of `ABc`. */
function splitWords(key: string): string[] {
  return key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}
