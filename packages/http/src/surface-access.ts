import type { LambdaContext, TriggerKind } from '@sallyport/core';
import type { HttpSurface } from './http-surface.js';

/** Where a container keeps what streaming handlers need of it. */
export const STREAM_ACCESS = Symbol.for('sallyport.stream-access');

export interface StreamAccess {
  readonly http: HttpSurface;
  /** @throws FrameworkError for an event of no kind */
  readonly detect: (event: unknown) => TriggerKind;
}

/** Either container, as a streaming handler takes it. */
export interface StreamingApp {
  readonly [STREAM_ACCESS]: StreamAccess;
  readonly handleLambda: (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;
}
