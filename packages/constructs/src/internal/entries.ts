import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { sharedRegistry } from './shared.js';

const entries = sharedRegistry<IFunction, string>('entries/1');

/** Notes the file that a function was bundled from. */
export function noteSource(fn: IFunction, entry: string): void {
  entries.set(fn, entry);
}

/** The file that a function was bundled from; `undefined` for code that came bundled. */
export function sourceOf(fn: IFunction): string | undefined {
  return entries.get(fn);
}
