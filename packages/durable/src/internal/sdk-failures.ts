import { membersOf } from '@sallyport/core/internal';
import { DurableError } from '../errors.js';
import { messageOf, restoreFailure } from './failures.js';
import type { DurableSdk } from './sdk.js';

/** A failure as the SDK records it: its data are ours. */
export function toSdk(sdk: DurableSdk, recorded: string): Error {
  const { message } = membersOf(JSON.parse(recorded));
  return new sdk.StepError(typeof message === 'string' ? message : '', undefined, recorded);
}

/** The failure that an operation has thrown, from the error of the SDK: at a replay it is wrapped in others. */
export function fromSdk(error: unknown, stack?: string): unknown {
  let node = error;
  for (let depth = 0; depth < 10 && node instanceof Error; depth += 1) {
    const { errorData } = node as { readonly errorData?: unknown };
    if (typeof errorData === 'string') return restoreFailure(errorData, stack);
    if (node.name === 'StepInterruptedError') {
      return new DurableError(
        'durable.step_interrupted',
        'the step was interrupted: its effect may have happened',
        error,
      );
    }
    node = node.cause;
  }
  const failure = new Error(messageOf(error));
  failure.cause = error;
  return failure;
}
