import {
  type CompiledCondition,
  type CompiledRow,
  conditionHolds,
  isNegative,
  isObject,
  valueAt,
} from '../internal/compile.js';
import { expectedWord, foundWord, UNREADABLE } from '../internal/words.js';
import type { Miss } from './explain.js';

/** A row held against an event. */
export interface RowCheck {
  readonly row: CompiledRow;
  /** Conditions held by the alternative that holds most; those that hold for an empty event do not count. */
  readonly held: number;
  /** Empty when the row holds. */
  readonly misses: readonly Miss[];
}

/** Never throws: what cannot be read is a miss. */
export function checkRow(row: CompiledRow, event: unknown): RowCheck {
  return row.kind === 'appsync' && isBatch(event) ? checkBatch(row, event) : checkObject(row, event, '');
}

function checkObject(row: CompiledRow, event: unknown, prefix: string): RowCheck {
  const misses = new Map<string, Miss>();
  let most = 0;
  let matched = false;
  for (const all of row.anyOf) {
    let held = 0;
    let missed = 0;
    for (const condition of all) {
      const miss = missOf(condition, event, prefix);
      if (miss) {
        missed += 1;
        misses.set(`${miss.path} ${miss.expected}`, miss);
      } else if (!isNegative(condition)) held += 1;
    }
    most = Math.max(most, held);
    matched ||= missed === 0;
  }
  return { row, held: most, misses: matched ? [] : [...misses.values()] };
}

/** The first entry of a batch that is no resolver event speaks for all. */
function checkBatch(row: CompiledRow, events: readonly unknown[]): RowCheck {
  let check = checkObject(row, events[0], '[0].');
  for (let index = 1; index < events.length && check.misses.length === 0; index += 1) {
    check = checkObject(row, events[index], `[${index}].`);
  }
  return check;
}

function isBatch(event: unknown): event is readonly unknown[] {
  try {
    return Array.isArray(event) && event.length > 0;
  } catch {
    return false;
  }
}

/** What the condition misses, told at the place where the way to its value ends. */
function missOf(condition: CompiledCondition, event: unknown, prefix: string): Miss | null {
  const { steps, path } = condition;
  const found = read(event, steps);
  if (found !== UNREADABLE && conditionHolds(condition, found)) return null;
  for (let depth = 0; depth < steps.length; depth += 1) {
    const wantsList = typeof steps[depth] === 'number';
    const container = read(event, steps.slice(0, depth));
    if (wantsList ? !hasEntry(container) : !isObject(container)) {
      const at = headOf(path, depth, prefix);
      return { path: at, expected: wantsList ? 'non-empty array' : 'object', found: foundWord(at, container) };
    }
  }
  return { path: prefix + path, expected: expectedWord(condition), found: foundWord(path, found) };
}

/** The value behind the steps, or {@link UNREADABLE}; a value of which not even its type can be told is unreadable too. */
export function read(event: unknown, steps: readonly (string | number)[]): unknown {
  try {
    const value = valueAt(event, steps);
    if (Array.isArray(value)) void value.length;
    return value;
  } catch {
    return UNREADABLE;
  }
}

function hasEntry(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** The first steps of a path; of none the event itself. */
function headOf(path: string, depth: number, prefix: string): string {
  if (depth === 0) return prefix === '' ? '(event)' : prefix.slice(0, -1);
  return (
    prefix +
    path
      .split(/(?=[.[])/)
      .slice(0, depth)
      .join('')
  );
}
