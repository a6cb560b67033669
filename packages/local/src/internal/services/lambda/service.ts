import { toArn } from '../../aws/names.js';
import { AsyncSource } from '../../sources/async.js';
import type { SourceType } from '../../sources/source.js';
import { newId } from '../../sources/sources-context.js';
import type { LocalService } from '../service.js';
import { createLambda } from './operations.js';

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
  operations: ({ config: { name }, invoker, sources }) =>
    createLambda({
      name,
      invoke: (event, options) => invoker.invoke(event, options),
      invokeLater: (event, traceId) => void sources.get(invocations, name).send(newId(), event, traceId),
    }),
} as const satisfies LocalService;
