import { type DetectionCondition, type DetectionRow, ROWS, type TriggerRow } from '../rows.js';
import { classify } from './classify.js';
import { isObject, isText, isUrlDomain } from './tests.js';

/** What {@link detectRow} answers when no row matched, and when there was nothing to match against. */
const UNKNOWN_EVENT = -1;
export const NOT_AN_OBJECT = -2;

/** Stands for an absent key; `undefined` could be its value. */
export const ABSENT = Symbol('absent');

/** A condition with its path taken apart once. */
export interface CompiledCondition extends Omit<DetectionCondition, 'value'> {
  readonly value: string | undefined;
  readonly steps: readonly (string | number)[];
}

/** A row with the paths of its conditions taken apart. */
export interface CompiledRow {
  readonly kind: string;
  readonly acceptsList: boolean;
  readonly anyOf: readonly (readonly CompiledCondition[])[];
}

/** Rows in the form in which every event is tested against them: the fixed ones, then those of extensions. */
export interface CompiledTable {
  readonly fixed: readonly TriggerRow[];
  readonly rows: readonly CompiledRow[];
  /** Whether the fixed rows are ours, for which `classify.ts` is written out. */
  readonly isWrittenOut: boolean;
  /** The alternatives that are interpreted, in order; neighbours that need the same member of the event form one group. */
  readonly groups: readonly Group[];
}

interface Group {
  /** A member that the event must have, or no alternative of the group holds. */
  readonly key: string;
  /** Whether the member may be `undefined`: an alternative asks only that it is there. */
  isOptional: boolean;
  readonly alternatives: Alternative[];
}

interface Alternative {
  readonly row: number;
  readonly conditions: readonly GroupCondition[];
}

interface GroupCondition extends CompiledCondition {
  /** The steps below the group's member; `undefined` when the path begins at another member. */
  readonly below: readonly (string | number)[] | undefined;
}

/** Compiles the rows once; `detectRow` and the explanations read nothing else. */
export function compileTable(fixed: readonly TriggerRow[], extensions: readonly DetectionRow[] = []): CompiledTable {
  const rows = [...fixed, ...extensions].map(compileRow);
  const groups: Group[] = [];
  const isWrittenOut = fixed === ROWS;
  rows.forEach(({ anyOf }, row) => {
    if (isWrittenOut && row < fixed.length) return;
    for (const all of anyOf) {
      const key = String(all.find((condition) => !isNegative(condition))?.steps[0]);
      // All of the same shape, so that the engine reads them fast.
      const conditions = all.map(({ path, test, value, steps }) => {
        return { path, test, value, steps, below: steps[0] === key ? steps.slice(1) : undefined };
      });
      let group = groups.at(-1);
      if (group?.key !== key) {
        group = { key, isOptional: false, alternatives: [] };
        groups.push(group);
      }
      group.alternatives.push({ row, conditions });
      group.isOptional ||= all.some(({ path, test }) => path === key && test === 'present');
    }
  });
  return { fixed, rows, isWrittenOut, groups };
}

function compileRow({ kind, anyOf, acceptsList = false }: DetectionRow & { acceptsList?: boolean }): CompiledRow {
  const compiled = anyOf.map((all) =>
    all.map(({ path, test, value }) => ({ path, test, value, steps: parsePath(path) })),
  );
  return { kind, acceptsList, anyOf: compiled };
}

/** `Records[0].eventSource` → `['Records', 0, 'eventSource']`. */
export function parsePath(path: string): (string | number)[] {
  const parts = path.split(/[.[\]]+/).filter((part) => part !== '');
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/**
 * The index of the first row that takes the event; every event passes through here. Below 0 when there is none. An event
 * that cannot be read, because a getter or a proxy throws, is an unknown one.
 */
export function detectRow(event: unknown, table: CompiledTable): number {
  try {
    if (typeof event !== 'object' || event === null) return NOT_AN_OBJECT;
    if (Array.isArray(event)) return listRow(event, table);
    const { isWrittenOut, groups } = table;
    const fixed = isWrittenOut ? classify(event as Readonly<Record<string, unknown>>) : UNKNOWN_EVENT;
    if (fixed >= 0) return fixed;
    for (let index = 0; index < groups.length; index += 1) {
      const row = groupRow(groups[index] as Group, event as Readonly<Record<string, unknown>>);
      if (row >= 0) return row;
    }
    return UNKNOWN_EVENT;
  } catch {
    return UNKNOWN_EVENT;
  }
}

/** The first row of a group that takes the event. Loops by index allocate nothing, here and below. */
function groupRow({ key, isOptional, alternatives }: Group, event: Readonly<Record<string, unknown>>): number {
  const member = event[key];
  // Most members are simply not there, and reading one is cheaper than asking whether it is an own one.
  if ((member === undefined && !isOptional) || !Object.hasOwn(event, key)) return UNKNOWN_EVENT;
  for (let index = 0; index < alternatives.length; index += 1) {
    const { row, conditions } = alternatives[index] as Alternative;
    let held = 0;
    while (held < conditions.length) {
      const condition = conditions[held] as GroupCondition;
      const { below, steps } = condition;
      const found = below === undefined ? valueAt(event, steps) : valueAt(member, below);
      if (!conditionHolds(condition, found)) break;
      held += 1;
    }
    if (held === conditions.length) return row;
  }
  return UNKNOWN_EVENT;
}

/** The row that every entry of a list matches, of those that accept lists. */
function listRow(events: readonly unknown[], { rows }: CompiledTable): number {
  const row = rows.findIndex(({ acceptsList, anyOf }) => acceptsList && events.length > 0 && isListOf(anyOf, events));
  return row < 0 ? NOT_AN_OBJECT : row;
}

function isListOf(anyOf: CompiledRow['anyOf'], events: readonly unknown[]): boolean {
  for (let index = 0; index < events.length; index += 1) {
    const entry = valueAt(events, [index]);
    if (!anyOf.some((all) => all.every((condition) => conditionHolds(condition, valueAt(entry, condition.steps))))) {
      return false;
    }
  }
  return true;
}

/** The value behind own properties only, or {@link ABSENT}; a name needs an object, an index needs a list. */
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
