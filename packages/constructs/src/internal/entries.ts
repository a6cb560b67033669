import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { sharedRegistry } from './shared.js';

const entries = sharedRegistry<IFunction, string>('entries/1');

/** Records the file from which a function was bundled. */
export function noteSource(fn: IFunction, entry: string): void {
  entries.set(fn, entry);
}

/** The file from which a function was bundled; `undefined` for code that was already bundled. */
export function sourceOf(fn: IFunction): string | undefined {
  return entries.get(fn);
}
