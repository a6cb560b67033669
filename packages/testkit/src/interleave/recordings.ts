import type { AsyncLocalStorage } from 'node:async_hooks';
import type { FullClock, Logger } from '@sallyport/core';
import { createRecording, type Recording } from '../env/records.js';

/** One recording an invocation, behind one logger and one set of hooks. */
export interface SplitRecording {
  /** What the container is given. */
  readonly shared: Recording;
  of(invocation: number): Recording;
}

/** Sorts what is recorded by the invocation in whose asynchronous context it was written. */
export function splitRecording(clock: FullClock, running: AsyncLocalStorage<number>): SplitRecording {
  const byInvocation = new Map<number, Recording>();
  const of = (invocation: number) => {
    const recording = byInvocation.get(invocation) ?? createRecording(clock);
    byInvocation.set(invocation, recording);
    return recording;
  };
  const current = () => of(running.getStore() ?? -1);
  return {
    of,
    shared: {
      records: of(-1).records,
      log: forward(() => current().log),
      observability: {
        log: (record) => current().observability.log(record),
        metric: (record) => current().observability.metric(record),
        span: { start: (...args) => current().observability.span.start(...args) },
      },
    },
  };
}

/** A logger that asks at each line whose line it is. */
function forward(target: () => Logger): Logger {
  return {
    debug: (...line) => target().debug(...line),
    info: (...line) => target().info(...line),
    warn: (...line) => target().warn(...line),
    error: (...line) => target().error(...line),
    isEnabled: (level) => target().isEnabled(level),
    with: (fields) => forward(() => target().with(fields)),
  };
}
