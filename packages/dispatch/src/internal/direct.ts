import { type FrameworkError, invalidOption } from '@sallyport/core';
import { dispatchError } from '../errors.js';

/** What becomes of invocations whose Lambda context says that they are no trigger's. */
export type DirectInvocations = 'refuse' | 'serve';

/**
 * How a plan refuses direct invocations; `undefined` where it serves them, which is the default.
 *
 * @throws FrameworkError `app.invalid_configuration`
 */
export function refusalOf(directInvocations: DirectInvocations | undefined): (() => FrameworkError) | undefined {
  if (directInvocations === undefined || directInvocations === 'serve') return undefined;
  if (directInvocations !== 'refuse') throw invalidOption('directInvocations', '"refuse" or "serve"');
  return () => dispatchError('dispatch.direct_refused', 'framework: direct invocation refused');
}
