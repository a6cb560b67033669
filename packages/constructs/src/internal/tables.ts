import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { sharedRegistry } from './shared.js';
import { functionBehind } from './targets.js';

const tables = sharedRegistry<IFunction, Set<ITable>>('tables/1');

/** Records a table that a function uses. */
export function noteTable(fn: IFunction, table: ITable): void {
  const behind = functionBehind(fn);
  tables.set(behind, (tables.get(behind) ?? new Set()).add(table));
}

/** The tables of this package that a function uses. */
export function tablesOf(fn: IFunction): readonly ITable[] {
  return [...(tables.get(functionBehind(fn)) ?? [])];
}
