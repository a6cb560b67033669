import { toArn } from '../../aws/names.js';
import { AsyncSource } from '../../sources/async.js';
import type { SourceType } from '../../sources/source.js';
import { newId } from '../../sources/sources-context.js';
import type { LocalService } from '../service.js';
import { createLambda } from './operations.js';

/** Log lines reach the run at most this many milliseconds after the response. */
const LATE_LINES_MS = 50;

/** Asynchronous invocations of the function. They need no registration. */
const invocations: SourceType<AsyncSource, 'invoke', never> = {
  kind: 'invoke',
  arn: (name) => toArn('lambda', `function:${name}`),
  create: (run, name) => new AsyncSource(invocations, name, run),
  register() {},
  hasHandler: () => true,
};

/** Lambda, for this function. */
export const lambda = {
  name: 'lambda',
  sources: [invocations],
  operations: ({ config: { name }, invoker, sources, journal }) =>
    createLambda({
      name,
      logsOf: async (id) => {
        await new Promise<void>((resolve) => sources.realClock.after(LATE_LINES_MS, resolve));
        return journal.get(id)?.logs.map(({ text }) => text) ?? [];
      },
      invoke: (event, options) => invoker.invoke(event, options),
      invokeLater: (event, traceId) => void sources.get(invocations, name).send(newId(), event, traceId),
    }),
} as const satisfies LocalService;
