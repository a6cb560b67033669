import type { Expectation } from '../fixtures/fixture.js';
import { isJsonObject, type Json, type JsonObject } from '../fixtures/json.js';
import type { DoneMessage } from '../protocol/protocol.js';
import { compare, type Difference, difference } from './compare.js';
import { compareResponse } from './internal/response.js';

/** A difference and the step that shows it; `null` for the fixture as a whole. */
export interface Failure extends Difference {
  /** Place of the step, from 0; `null` for the fixture as a whole. */
  readonly step: number | null;
}

const RECORDS = ['logs', 'failures', 'metrics', 'spans', 'calls'] as const;

/** Every way in which a runtime's answer is not what the fixture wants. */
export function judge(expected: Expectation, done: DoneMessage): Failure[] {
  const whole = (differences: Difference[]) => differences.map((found) => ({ step: null, ...found }));
  const construction = compareError(expected.construction_error, done.construction_error ?? undefined);
  const wanted = expected.steps ?? [];
  const count = compare(wanted.length, done.steps.length, '.steps.length');
  return [
    ...whole(construction),
    ...whole(count),
    ...wanted.flatMap((outcome, step) => {
      const found = done.steps[step];
      return found === undefined ? [] : judgeStep(outcome, found).map((failure) => ({ step, ...failure }));
    }),
    ...whole(findForbidden(expected.forbidden ?? [], done)),
  ];
}

function judgeStep(expected: JsonObject, found: JsonObject): Difference[] {
  return [
    ...judgeAnswer(expected, found),
    ...compare(expected.stream_error ?? null, found.stream_error ?? null, '.stream_error'),
    ...RECORDS.flatMap((part) => (part in expected ? compare(expected[part], found[part], `.${part}`) : [])),
  ];
}

function judgeAnswer(expected: JsonObject, found: JsonObject): Difference[] {
  if ('result' in expected) {
    if (found.error !== undefined) return [difference('.result', expected.result, { error: found.error })];
    return compare(expected.result, found.result ?? null, '.result');
  }
  if (isJsonObject(expected.response)) return compareResponse(expected.response, found);
  return compareError(asObject(expected.error), asObject(found.error), found);
}

function compareError(expected: JsonObject | undefined, found: JsonObject | undefined, outcome?: JsonObject) {
  if (expected === undefined && found === undefined) return [];
  if (expected === undefined || found === undefined) return [difference('.error', expected, found ?? outcome)];
  return ['message', 'code', 'details'].flatMap((key) =>
    key in expected ? compare(expected[key], found[key], `.error.${key}`) : [],
  );
}

function asObject(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

function findForbidden(forbidden: readonly string[], done: DoneMessage): Difference[] {
  if (forbidden.length === 0) return [];
  // The text of an error is for its line in the log; everything else is searched.
  const steps = done.steps.map((step) =>
    Object.fromEntries(Object.entries(step).filter(([part]) => part !== 'failures')),
  );
  const texts = allTexts({ steps, construction_error: done.construction_error });
  return forbidden
    .filter((word) => texts.some((text) => text.includes(word)))
    .map((word) => difference('.forbidden', { $absent: true }, word));
}

/** Every key and string, and what base64 text decodes to. */
function allTexts(value: Json): string[] {
  if (typeof value === 'string') return [value, ...decoded(value)];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(allTexts);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...allTexts(member)]);
}

function decoded(text: string): string[] {
  const plausible = text.length >= 4 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  return plausible ? [Buffer.from(text, 'base64').toString()] : [];
}
