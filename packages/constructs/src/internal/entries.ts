import type { LoadedApplication } from '@sallyport/bundle';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { sharedRegistry } from './shared.js';

/** The file from which a function was bundled. */
export interface FunctionSource {
  readonly entry: string;
  readonly conditions: readonly string[];
  /** The application, loaded for the bundle; `undefined` if it was not. */
  readonly loaded?: LoadedApplication | undefined;
}

const entries = sharedRegistry<IFunction, FunctionSource>('entries/3');

/** Records the file from which a function was bundled. */
export function noteSource(fn: IFunction, source: FunctionSource): void {
  entries.set(fn, source);
}

/** The file from which a function was bundled; `undefined` for code that was already bundled. */
export function sourceOf(fn: IFunction): FunctionSource | undefined {
  return entries.get(fn);
}
