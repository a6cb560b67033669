import { isFrameworkError } from '../../errors/errors.js';
import { decodePercent } from '../../request/encoding.js';
import { createMap } from '../../request/request.js';
import { REDACTED, sanitizeLogString } from '../log-text.js';
import { isCardValue, replaceCards } from './cards.js';
import { isInFramePath, isPackageVersion } from './frame-path.js';
import { toSourceFrames } from './source-frames.js';

/**
 * The sanitizer of the default logger. Every bundle contains all code that the default logger uses, and the full sanitizer
 * is half as large as a router. This one has a short form of the same table of keys and is stricter: it removes a doubtful
 * value completely, and the rest of the line after `password=`. `createLogger()` uses the full sanitizer.
 */
const SECRET_KEY =
  /passw|passphrase|secret|token|cookie|credential|authori[sz]ation|jwt|assertion|verifier|apikey|(?:private|secret|signing|encryption|access|shared|master)key|authcode|securitycode|connectionstring|cardholder|cardnumber|accountnumber|panvalue|^(?:pwd|pin|otp|cv[vc]2?|pan|ssn|tin|taxid|ein)s?$/;
const HUMP = /[_\-.\s]+/g;
/** Keys that contain a stem but no secret. */
const PLAIN_KEY = /^tokentype$|^monkey|^secretary|^tokeni[sz]/;
const PAIR = /(["']?)([\w.-]{1,64})\1\s{0,3}[=:]/g;
/** Only the schemes are recognized in any case: `eyj` is part of many hashes in base 32. */
const SECRET_TEXT =
  /-----BEGIN[\s\S]*|\b[bB](?:[eE][aA][rR][eE][rR]|[aA][sS][iI][cC])\s+\S+|eyJ[\w-]{6,}[\w.-]*|\bA[KS]IA[A-Z0-9]{16}|:\/\/[^\s/@]{1,256}@|[\w.+%-]{1,64}@[\w.-]{1,255}|\b\d{3}-\d\d-\d{4}\b/g;
const MAX_TEXT = 1024;
const MAX_NODES = 200;
const MAX_DEPTH = 6;
const MAX_FRAMES = 20;
const MAX_CAUSES = 5;
const MAX_KEY = 128;
const ERROR_PARTS = ['name', 'message', 'code', 'status', 'stack', 'cause'];

/** True if a value under this key is removed. */
export function isSecretKey(key: string): boolean {
  const plain = key.toLowerCase().replace(HUMP, '');
  return SECRET_KEY.test(plain) && !PLAIN_KEY.test(plain);
}

/** A string without secrets, at most 1,024 characters of it. */
export function cleanText(text: string): string {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…[+${text.length - MAX_TEXT}]` : text;
  for (const pair of cut.matchAll(PAIR)) {
    const end = pair.index + pair[0].length;
    const isFile = cut[end - 1] === ':' && isInFramePath(cut, end - 1, end - 1);
    if (isSecretKey(pair[2] ?? '') && !isFile) return cleanPlaces(cut.slice(0, end)) + REDACTED;
  }
  return cleanPlaces(cut);
}

function cleanPlaces(text: string): string {
  const clean = text.replace(SECRET_TEXT, (secret, offset: number) =>
    isPackageVersion(text, offset, secret) ? secret : REDACTED,
  );
  return replaceCards(clean, () => REDACTED);
}

/** Copies the values of one line: a bounded copy without secrets. Never throws. */
export class LightWalk {
  #nodes = 0;

  /** A clean copy of a value. */
  value(value: unknown, depth = 0): unknown {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) return '[+more]';
    switch (typeof value) {
      case 'string':
        return cleanText(value);
      case 'number':
        return isCardValue(value) ? REDACTED : Number.isFinite(value) ? value : String(value);
      case 'bigint':
        return cleanText(String(value));
      case 'object':
        return value === null ? null : guarded(() => this.#object(value, depth));
      case 'function':
      case 'symbol':
        return `[${typeof value}]`;
      default:
        return value;
    }
  }

  #object(value: object, depth: number): unknown {
    if (isError(value)) return this.error(value);
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (depth >= MAX_DEPTH) return '[depth]';
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === 'function') return this.value(toJSON.call(value), depth + 1);
    if (!Array.isArray(value)) return this.fields(value instanceof Map ? Object.fromEntries(value) : value, depth + 1);
    return value.slice(0, MAX_NODES).map((item) => this.value(item, depth + 1));
  }

  /** A clean copy of the members of an object; it has no prototype. */
  fields(object: object, depth = 0): Record<string, unknown> {
    const copy = createMap<unknown>();
    const keys = guarded(() => (typeof object === 'object' ? Object.keys(object) : []));
    for (const key of typeof keys === 'string' ? [] : keys) {
      this.#nodes += 1;
      if (this.#nodes > MAX_NODES) break;
      const member = read(object, key);
      const hidden = isSecretKey(key) && !(/tokens/i.test(key) && Number.isFinite(member));
      copy[cleanText(key).slice(0, MAX_KEY)] = hidden ? REDACTED : this.value(member, depth);
    }
    return copy;
  }

  /** The written form of a thrown value; `causes` is the maximum number of causes. */
  error(thrown: unknown, causes = MAX_CAUSES): Record<string, unknown> {
    if (!isError(thrown)) {
      return { name: 'NonError', message: thrown === null ? 'null' : typeof thrown, value: this.value(thrown) };
    }
    const [name, message, code, status, stack, cause] = ERROR_PARTS.map((key) => read(thrown, key));
    return {
      name: typeof name === 'string' && name !== '' ? cleanText(name) : 'Error',
      message: typeof message === 'string' ? cleanText(message) : '[unreadable]',
      ...(typeof code === 'string' || Number.isFinite(code) ? { code: this.value(code) } : undefined),
      ...(Number.isFinite(status) ? { status } : undefined),
      ...(typeof stack === 'string' ? { stack: framesOf(stack) } : undefined),
      ...(cause === undefined ? undefined : { cause: causes > 0 ? this.error(cause, causes - 1) : '[depth]' }),
    };
  }
}

function framesOf(stack: string): string[] {
  const frames = stack
    .slice(0, 16_384)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '));
  return toSourceFrames(frames.slice(0, MAX_FRAMES)).map(cleanText);
}

/** True if a value is an error of any realm or copy of this package; false for a revoked proxy. */
function isError(value: unknown): value is Error {
  const check = () =>
    value instanceof Error || Object.prototype.toString.call(value) === '[object Error]' || isFrameworkError(value);
  return guarded(check) === true;
}

/** A member of a foreign object; `[unreadable]` when its getter throws. */
export function read(object: object, key: string): unknown {
  return guarded(() => (object as Record<string, unknown>)[key]);
}

/** The result of reading a foreign object; `[unreadable]` if it throws. */
function guarded<T>(look: () => T): T | '[unreadable]' {
  try {
    return look();
  } catch {
    return '[unreadable]';
  }
}

/**
 * The scrubbing of the few short strings in records that a client chooses: path, correlation id, detail type. The whole
 * sanitizer (`scrubFreeText`) is larger than the pipeline that calls this, and a bundler puts a lazy import into the
 * same file; so these strings have a separate rule, smaller and stricter: a word that contains a secret is removed completely.
 */
const SECRET =
  /eyJ|A[KS]IA[A-Z0-9]{16}|@|(?:^|\D)\d{3}-\d\d-\d{4}(?!\d)|(?:bearer|basic)[\s=:]|(?:pass|pwd|pin|otp|secret|token|jwt|auth|cookie|credential|key|code|cv[vc]|signature|ssn|tax|tin|ein|card|pan|account)[\w.-]*[=:]/i;

/** Words that are plain at first sight, as nearly all are. */
const PLAIN = /^[\w./~!$()*+,{}-]*$/;
const MANY_DIGITS = /\d(?:[ +-]?\d){8}/;

/**
 * A short string of a client in the form for records: without control characters, at most `limit` characters, words
 * (between slashes, blanks, `;` or `&`) that contain a secret replaced.
 */
export function scrubWords(text: string, limit: number): string {
  const clean = sanitizeLogString(text);
  const cut = clean.length > limit ? clean.slice(0, limit) : clean;
  if (PLAIN.test(cut) && !MANY_DIGITS.test(cut) && !cut.includes('eyJ') && !/A[KS]IA/.test(cut)) return cut;
  const mayHoldCard = cut.includes('%') || holdsCardNumber(cut);
  const scrubbed = cut.replace(/[^/\s;&]+/g, (word) => (holdsSecret(word, mayHoldCard) ? REDACTED : word));
  return mayHoldCard && holdsCardNumber(scrubbed) ? REDACTED : scrubbed.slice(0, limit);
}

function holdsSecret(word: string, mayHoldCard: boolean): boolean {
  const plain = decodePercent(word);
  return SECRET.test(plain) || (mayHoldCard && holdsCardNumber(plain));
}

function holdsCardNumber(text: string): boolean {
  return MANY_DIGITS.test(text) && replaceCards(text, () => REDACTED) !== text;
}
