import type { StandardSchema } from '@sallyport/core';
import { DurableError } from '../errors.js';
import type { CallbackOptions } from '../types.js';
import { assertWhole, callbackSeconds } from './checks.js';
import { assertMapping } from './handoff.js';
import { isEnded } from './history.js';
import type { LaneScope } from './lane-scope.js';
import { parseWith } from './schema.js';
import { runSubmit, SUBMIT } from './step.js';

const MAX_SECONDS = 31_622_400;

/** Runs a callback of a flow: the callback, the step that submits its id, and the wait for its value. */
export async function runCallback<T>(
  lane: LaneScope,
  name: string,
  schema: StandardSchema<unknown, T>,
  options: CallbackOptions,
): Promise<T> {
  const place = `callback "${name}"`;
  const { heartbeatSeconds } = options;
  const seconds = callbackSeconds(options, place);
  if (heartbeatSeconds !== undefined) {
    assertWhole(heartbeatSeconds, 1, MAX_SECONDS, `${place}: heartbeatSeconds`, ' seconds');
  }
  lane.assertNothingHeld(place);
  assertMapping(lane, seconds, place);
  lane.begin(name, 2);
  lane.reserve(`${name}${SUBMIT}`);
  const { parking } = lane.run;
  const isOver = isEnded(lane.recorded(name));
  const text = await lane.later(async (inner) => {
    await lane.hooks.enter?.(lane, name, false);
    if (!isOver) await parking.idle(lane.flow, async () => undefined);
    const [value, id] = await inner.createCallback<string>(name, {
      timeout: { seconds },
      ...(heartbeatSeconds !== undefined && { heartbeatTimeout: { seconds: heartbeatSeconds } }),
    });
    // A rejection is read below, after the submit step.
    await parking.active(lane.flow, () => runSubmit(lane, inner, name, (step) => options.submit(id, step)));
    const wait = () =>
      value.then(
        (result) => result,
        (error: unknown) => Promise.reject(failureOf(error, place)),
      );
    return lane.suspend(name, wait, true);
  }, name);
  return parseWith(schema, text, place);
}

/** Another system wrote the message and data of the error: they are kept for logs only. */
function failureOf(error: unknown, place: string): DurableError {
  const isTimeout = (error as { readonly errorType?: unknown } | undefined)?.errorType === 'CallbackTimeoutError';
  if (isTimeout) return new DurableError('durable.callback_timeout', `${place} was not completed in time`, error);
  return new DurableError('durable.callback_failed', `${place}: the other system failed it`, error);
}
