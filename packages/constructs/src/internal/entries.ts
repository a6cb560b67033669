import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { sharedRegistry } from './shared.js';

/** The file from which a function was bundled. */
export interface FunctionSource {
  readonly entry: string;
  readonly conditions: readonly string[];
}

const entries = sharedRegistry<IFunction, FunctionSource>('entries/2');

/** Records the file from which a function was bundled. */
export function noteSource(fn: IFunction, source: FunctionSource): void {
  entries.set(fn, source);
}

/** The file from which a function was bundled; `undefined` for code that was already bundled. */
export function sourceOf(fn: IFunction): FunctionSource | undefined {
  return entries.get(fn);
}
