import type { Logger } from '@sallyport/core';
import { logFailure } from '@sallyport/core/pipeline';

/** Hooks whose failure is in the log already. */
const REPORTED = new WeakSet<object>();

/** Calls a hook of the user's. Its first failure is one `error` line; no failure changes a decision. */
export function callHookOf<A extends readonly unknown[]>(
  logger: () => Logger,
  name: string,
  hook: ((...args: A) => unknown) | undefined,
  ...args: A
): void {
  if (!hook) return;
  const failed = (thrown: unknown) => {
    if (REPORTED.has(hook)) return;
    REPORTED.add(hook);
    logFailure(logger, `framework: hook ${name} failed`, thrown);
  };
  try {
    Promise.resolve(hook(...args)).catch(failed);
  } catch (thrown) {
    failed(thrown);
  }
}
