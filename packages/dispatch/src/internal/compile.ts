import type { TriggerKind } from '@sallyport/core';
import { isObject, isText } from '@sallyport/core/internal';
import { type DetectionCondition, type DetectionRow, isUrlDomain, ROWS, type TriggerRow } from '../rows.js';
import { classify } from './classify.js';

/** Results of {@link detectRow}: no row matched, or the event is not an object. */
const UNKNOWN_EVENT = -1;
export const NOT_AN_OBJECT = -2;

/** Stands for an absent key; `undefined` could be its value. */
export const ABSENT = Symbol('absent');

/** A condition with its parsed path. */
export interface CompiledCondition extends Omit<DetectionCondition, 'value'> {
  readonly value: string | undefined;
  readonly steps: readonly (string | number)[];
}

/** A row with the parsed paths of its conditions. */
export interface CompiledRow {
  readonly kind: string;
  readonly acceptsList: boolean;
  readonly anyOf: readonly (readonly CompiledCondition[])[];
  /** For each alternative, a required member: nearly all events fail at this first check. */
  readonly heads: readonly string[];
}

/** Rows in the form in which events are compared with them: the fixed rows, then the rows of extensions. */
export interface CompiledTable {
  /** The fixed rows, in their order. */
  readonly fixed: readonly Pick<TriggerRow, 'entrypoint'>[];
  /** The kinds of all rows, in their order. */
  readonly kinds: readonly TriggerKind[];
  /**
   * Compiled when they are first read: most functions never receive an event that `classify.ts` does not recognize. `undefined` if the bundle
   * leaves the rows out.
   */
  readonly rows: readonly CompiledRow[] | undefined;
  /** The number of first rows that `classify.ts` implements: all rows of the built-in table, 0 for any other table. */
  readonly writtenOut: number;
  /** The row of an event that `classify.ts` does not recognize; below 0 if absent. */
  readonly rowOf: (event: object) => number;
  /** The row of a list of events; below 0 if absent. */
  readonly rowOfList: (events: readonly unknown[]) => number;
}

/** A table with its rows. */
export interface FullTable extends CompiledTable {
  readonly rows: readonly CompiledRow[];
}

/** Compiles the rows once; `detectRow` and the explanations read only the result. */
export function compileTable(fixed: readonly TriggerRow[], extensions: readonly DetectionRow[] = []): FullTable {
  const all: readonly DetectionRow[] = [...fixed, ...extensions];
  const writtenOut = fixed === ROWS ? fixed.length : 0;
  let rows: readonly CompiledRow[] | undefined;
  const compiled = (): readonly CompiledRow[] => (rows ??= all.map(compileRow));
  return {
    fixed,
    kinds: all.map(({ kind }) => kind),
    get rows() {
      return compiled();
    },
    writtenOut,
    rowOf: (event) => findRow(compiled(), writtenOut, event),
    rowOfList: (events) => findListRow(compiled(), events),
  };
}

function compileRow({ kind, anyOf, acceptsList = false }: DetectionRow & { acceptsList?: boolean }): CompiledRow {
  const compiled = anyOf.map((all) =>
    all.map(({ path, test, value }) => ({ path, test, value, steps: parsePath(path) })),
  );
  return { kind, acceptsList, anyOf: compiled, heads: compiled.map(headOf) };
}

/** The first member on the path of a condition that an empty event does not fulfil; `''` if absent. */
function headOf(all: readonly CompiledCondition[]): string {
  return String(all.find((condition) => !isNegative(condition))?.steps[0] ?? '');
}

/** `Records[0].eventSource` → `['Records', 0, 'eventSource']`; `["CodePipeline.job"].id` → `['CodePipeline.job', 'id']`. */
export function parsePath(path: string): (string | number)[] {
  const parts = path.matchAll(/\["([^"]+)"\]|([^.[\]]+)/g);
  return [...parts].map(([, quoted, plain = '']) => quoted ?? (/^\d+$/.test(plain) ? Number(plain) : plain));
}

/**
 * The index of the first row that matches the event; called for every event. Below 0 if no row matches. An event
 * that cannot be read, because a getter or a proxy throws, is unknown.
 */
export function detectRow(event: unknown, table: CompiledTable): number {
  try {
    if (typeof event !== 'object' || event === null) return NOT_AN_OBJECT;
    if (Array.isArray(event)) return table.rowOfList(event);
    const fixed = table.writtenOut > 0 ? classify(event as Readonly<Record<string, unknown>>) : UNKNOWN_EVENT;
    return fixed >= 0 ? fixed : table.rowOf(event);
  } catch {
    return UNKNOWN_EVENT;
  }
}

function findRow(rows: readonly CompiledRow[], first: number, event: object): number {
  for (let index = first; index < rows.length; index += 1) {
    if (rowHolds(rows[index] as CompiledRow, event)) return index;
  }
  return UNKNOWN_EVENT;
}

/** True if all conditions of one alternative are fulfilled. */
function rowHolds({ anyOf, heads }: CompiledRow, event: unknown): boolean {
  for (let index = 0; index < anyOf.length; index += 1) {
    if (Object.hasOwn(event as object, heads[index] as string) && allHold(anyOf[index] as never, event)) return true;
  }
  return false;
}

function allHold(all: readonly CompiledCondition[], event: unknown): boolean {
  return all.every((condition) => conditionHolds(condition, valueAt(event, condition.steps)));
}

/** The row that every entry of a list matches, among the rows that accept lists. */
function findListRow(rows: readonly CompiledRow[], events: readonly unknown[]): number {
  if (events.length === 0) return NOT_AN_OBJECT;
  const found = rows.findIndex((row) => {
    // By index: a missing entry does not match.
    for (let index = 0; row.acceptsList && index < events.length; index += 1) {
      if (!row.anyOf.some((all) => allHold(all, valueAt(events, [index])))) return false;
    }
    return row.acceptsList;
  });
  return found < 0 ? NOT_AN_OBJECT : found;
}

/** The value at a path of own properties, or {@link ABSENT}; a name needs an object, an index needs a list. */
export function valueAt(event: unknown, steps: readonly (string | number)[]): unknown {
  let value: unknown = event;
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index] as string | number;
    const fits = typeof step === 'number' ? Array.isArray(value) : isObject(value);
    if (!fits || !Object.hasOwn(value as object, step)) return ABSENT;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

export function conditionHolds({ test, value }: CompiledCondition, found: unknown): boolean {
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

/** Tests that an empty event passes too; they never count in favour of a row. */
export function isNegative({ test }: Pick<DetectionCondition, 'test'>): boolean {
  return test === 'absent' || test === 'not_url_domain';
}
