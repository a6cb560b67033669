import { fromJson, isObject, REDACTED } from '@sallyport/core/internal';
import { sanitizeFieldValue } from '@sallyport/core/observability';
import type { InvocationRecord, RawRecord } from './journal.js';

/** A place of a record whose value is hidden. */
export interface HiddenPlace {
  /** The members that lead to it: `["event", "headers", "authorization"]`. JSON in strings is read as a value. */
  readonly path: readonly string[];
  /** The reason: `the name of the key`, `a card number`. */
  readonly why: string;
  /** The value on the page. */
  readonly shown: string;
}

/** Maximum number of places of a record. */
const MAX_PLACES = 500;
/** Maximum length of a revealed value. */
const MAX_LENGTH = 65_536;
const MAX_HIDDEN_DEPTH = 32;

/** The hidden places of a record: where its sanitized form differs. */
export function hiddenPlaces(raw: RawRecord, shown: InvocationRecord): readonly HiddenPlace[] {
  return hiddenIn(partsOf(raw), partsOf(shown));
}

/** The hidden places of any value: where its sanitized form differs. */
export function hiddenIn(raw: unknown, shown: unknown): readonly HiddenPlace[] {
  const found: HiddenPlace[] = [];
  compare(raw, shown, [], (path, value, instead) => {
    if (found.length < MAX_PLACES)
      found.push({ path, why: whyHidden(path, value, instead), shown: shownText(instead) });
  });
  return found;
}

/** The value of one hidden place, as text; `undefined` if nothing is hidden there. */
export function revealed(raw: RawRecord, shown: InvocationRecord, path: readonly string[]): string | undefined {
  return revealedIn(partsOf(raw), partsOf(shown), path);
}

/** The value of one hidden place of any value, as text; `undefined` if nothing is hidden there. */
export function revealedIn(raw: unknown, shown: unknown, path: readonly string[]): string | undefined {
  const wanted = JSON.stringify(path);
  let value: string | undefined;
  compare(raw, shown, [], (at, hidden) => {
    if (JSON.stringify(at) === wanted) value = shownText(hidden).slice(0, MAX_LENGTH);
  });
  return value;
}

/** The parts that come from callers or from the function. Log lines are in the order of their times, as on the page. */
function partsOf({ event, answer, error, client, logs, awsCalls }: RawRecord | InvocationRecord) {
  // The value of a pair has no key.
  const headers = client?.headers.map(([name, value]) => ({ [name]: value }));
  return {
    event,
    answer,
    error,
    client: client && { ...client, headers },
    logs: [...logs].sort((a, b) => a.at - b.at),
    awsCalls,
  };
}

type OnHidden = (path: readonly string[], raw: unknown, shown: unknown) => void;

function compare(raw: unknown, shown: unknown, path: readonly string[], onHidden: OnHidden): void {
  if (raw === shown || raw === undefined || path.length > MAX_HIDDEN_DEPTH) return;
  if (typeof raw === 'string' && typeof shown === 'string') {
    const [inner, innerShown] = [containerIn(raw), containerIn(shown)];
    if (inner !== undefined && innerShown !== undefined) compare(inner, innerShown, path, onHidden);
    else onHidden(path, raw, shown);
    return;
  }
  if (Array.isArray(raw) && Array.isArray(shown)) {
    for (const [index, member] of shown.entries()) compare(raw[index], member, [...path, String(index)], onHidden);
    return;
  }
  if (isObject(raw) && isObject(shown)) {
    for (const [name, member] of Object.entries(shown))
      if (Object.hasOwn(raw, name)) compare(raw[name], member, [...path, name], onHidden);
    return;
  }
  onHidden(path, raw, shown);
}

function containerIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const value = fromJson(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** The reasons in a string, the most certain first. */
const REASONS: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/-----BEGIN [\w ]*PRIVATE KEY-----/, 'a private key'],
  [/eyJ[\w-]+\.[\w-]+/, 'a token (JWT)'],
  [/A[KS]IA[A-Z\d]{16}/, 'an access key of AWS'],
  [/(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)/, 'a social security number'],
  [/\S@[\w-]+/, 'an e-mail address'],
];

function whyHidden(path: readonly string[], raw: unknown, shown: unknown): string {
  const name = path.findLast((member) => !/^\d+$/.test(member)) ?? '';
  if (sanitizeFieldValue(name, 'a value') !== 'a value' || sanitizeFieldValue(name, '123456789') !== '123456789')
    return `the name of the key: ${name}`;
  const [text, instead] = [shownText(raw), shownText(shown)];
  if (/…\[\+\d+\]$/.test(instead)) return 'too long: the page shows its beginning';
  // A card keeps its first six and its last four digits.
  if (/\d{6}\*+\d{4}|\*{4}/.test(instead)) return 'a card number';
  const reason = REASONS.find(([pattern]) => pattern.test(text));
  if (reason && instead.includes(REDACTED)) return reason[1];
  if (instead.includes(REDACTED)) return 'a secret after its name in the text, such as token=';
  return 'characters or values that the page does not show';
}

function shownText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
