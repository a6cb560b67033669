import type { DetectionCondition, DetectionRow } from '../rows.js';

/** Stands for a key that is not there; `undefined` would be a value. */
export const ABSENT = Symbol('absent');

/** A condition with its path taken apart once. */
export interface CompiledCondition extends DetectionCondition {
  readonly steps: readonly (string | number)[];
}

export interface CompiledRow {
  readonly kind: string;
  readonly anyOf: readonly (readonly CompiledCondition[])[];
  /** One name for each alternative, which the event itself must have for that to hold. */
  readonly firstKeys: readonly string[];
}

/** The interpreted form of a row; extension rows and explanations use it. */
export function compileRow({ kind, anyOf }: DetectionRow): CompiledRow {
  const compiled = anyOf.map((all) => all.map((condition) => ({ ...condition, steps: parsePath(condition.path) })));
  const firstKeys = compiled.map((all) => String(all.find((condition) => !isNegative(condition))?.steps[0]));
  return { kind, anyOf: compiled, firstKeys };
}

/** `Records[0].eventSource` → `['Records', 0, 'eventSource']`. */
export function parsePath(path: string): (string | number)[] {
  const parts = path.split(/[.[\]]+/).filter((part) => part !== '');
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Whether one alternative of the row holds wholly. */
export function rowHolds(row: CompiledRow, event: unknown): boolean {
  for (const all of row.anyOf) {
    if (all.every((condition) => conditionHolds(condition, valueAt(event, condition.steps)))) return true;
  }
  return false;
}

/** The value behind own properties only, or {@link ABSENT}; a name needs an object, an index needs a list. */
export function valueAt(event: unknown, steps: readonly (string | number)[]): unknown {
  let value: unknown = event;
  for (const step of steps) {
    const fits = typeof step === 'number' ? Array.isArray(value) : isObject(value);
    if (!fits || !Object.hasOwn(value as object, step)) return ABSENT;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

export function conditionHolds({ test, value }: DetectionCondition, found: unknown): boolean {
  switch (test) {
    case 'equals':
      return found === value;
    case 'present':
      return found !== ABSENT;
    case 'absent':
      return found === ABSENT;
    case 'string':
      return typeof found === 'string';
    case 'text':
      return isText(found);
    case 'object':
      return isObject(found);
    case 'url_domain':
      return isUrlDomain(found);
    case 'not_url_domain':
      return !isUrlDomain(found);
  }
}

/** Conditions that an event without anything fulfils: they never count for a row. */
export function isNegative({ test }: DetectionCondition): boolean {
  return test === 'absent' || test === 'not_url_domain';
}

/** Neither `null` nor a list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A string with a character that is not blank; nearly always the first one, and nothing is allocated then. */
export function isText(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const first = value.charCodeAt(0);
  return (first > 32 && first < 127) || value.trim() !== '';
}

/** Every partition has a suffix of its own behind `on`, one label or more. */
const URL_DOMAIN = /^[a-z0-9-]+\.lambda-url\.[a-z0-9-]+\.on(?:\.[a-z0-9-]+)+$/;

/** The host name of a function URL. Nearly every other host ends at the first question. */
export function isUrlDomain(value: unknown): boolean {
  return typeof value === 'string' && value.includes('.lambda-url.') && URL_DOMAIN.test(value);
}
