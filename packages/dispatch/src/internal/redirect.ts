import type { LambdaContext, Surface, TriggerKind } from '@sallyport/core';
import { isObject, qualifierOf } from '@sallyport/core/internal';
import { dispatchError } from '../errors.js';
import type { Miss } from '../explain/row-check.js';

/** Selects the surface of an event after its row: by the alias of the invocation, then by the surfaces that refine the row. */
export interface Redirect {
  /** The index of the kind that serves the event; the given row if no surface claims the event. Never throws. */
  rowOf(row: number, event: unknown, lambdaContext: LambdaContext | undefined): number;
  /** For each kind that an alias selects: the failed condition, or none. */
  explain(lambdaContext: LambdaContext | undefined): readonly (readonly [kind: TriggerKind, misses: readonly Miss[]])[];
}

/** The kinds that only the alias of an invocation selects: no row detects them. */
export function qualifiedKinds(surfaces: readonly Surface[], detected: readonly TriggerKind[]): readonly TriggerKind[] {
  return surfaces.flatMap(({ qualifiers = [], serves: [kind] }) =>
    qualifiers.length > 0 && kind !== undefined && !detected.includes(kind) ? [kind] : [],
  );
}

/**
 * Indexes the surfaces that claim an alias or events of another row; `undefined` if no surface does, so that other plans have no work.
 *
 * @param kinds the kinds of the plan, by row
 * @throws FrameworkError `dispatch.invalid_surface` for a malformed member, `dispatch.duplicate_surface` for an alias that two surfaces name
 */
export function createRedirect(surfaces: readonly Surface[], kinds: readonly TriggerKind[]): Redirect | undefined {
  const byAlias = new Map<string, number>();
  const byRow = new Map<number, (readonly [test: (event: unknown) => boolean, row: number])[]>();
  for (const { serves, qualifiers = [], refines = [] } of surfaces) {
    const kind = serves[0] as TriggerKind;
    if (!isNames(qualifiers) || !isRefinements(refines)) {
      const text = `framework: the surface of ${kind}: qualifiers must be a list of aliases, refines a list of { kind, test }`;
      throw dispatchError('dispatch.invalid_surface', text);
    }
    const own = kinds.indexOf(kind);
    for (const alias of qualifiers) {
      if (byAlias.has(alias)) {
        throw dispatchError('dispatch.duplicate_surface', `framework: two surfaces serve the alias "${alias}"`);
      }
      byAlias.set(alias, own);
    }
    for (const refined of refines) {
      const row = kinds.indexOf(refined.kind);
      byRow.set(row, [...(byRow.get(row) ?? []), [refined.test, own]]);
    }
  }
  if (byAlias.size === 0 && byRow.size === 0) return undefined;
  return {
    rowOf(row, event, lambdaContext) {
      try {
        const claimed = byAlias.get(qualifierOf(lambdaContext?.invokedFunctionArn) ?? '');
        return claimed ?? byRow.get(row)?.find(([test]) => test(event))?.[1] ?? row;
      } catch {
        return row;
      }
    },
    explain(lambdaContext) {
      const came = qualifierOf(lambdaContext?.invokedFunctionArn);
      const found = came === undefined ? 'no qualifier' : `qualifier ${came}`;
      return [...new Set(byAlias.values())].map((row) => {
        const names = [...byAlias.keys()].filter((alias) => byAlias.get(alias) === row);
        const miss = { path: 'invokedFunctionArn', expected: `qualifier ${names.join(' or ')}`, found };
        return [kinds[row] as TriggerKind, byAlias.get(came ?? '') === row ? [] : [miss]];
      });
    },
  };
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '');
}

function isRefinements(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((one) => isObject(one) && typeof one.kind === 'string' && typeof one.test === 'function')
  );
}
