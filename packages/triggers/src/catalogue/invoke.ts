import type { StandardSchema } from '@sallyport/core';
import { buildInvocation, type DirectInvokeOptions, directInvoke, INVOKE_TRIGGER } from '../kinds/invoke.js';
import { describeTrigger } from './entry.js';

/** A Standard Schema that accepts any input. */
const ANYTHING: StandardSchema = {
  '~standard': { version: 1, vendor: 'sallyport', validate: (value) => ({ value }) },
};

/** Invocations by name in the catalogue. @internal */
export const INVOKE = /* @__PURE__ */ describeTrigger(INVOKE_TRIGGER, {
  sample: {
    build: buildInvocation,
    events: [[buildInvocation('a', 1), undefined]],
    names: ['a'],
    members: 'caller',
    register: (handlers, options?: DirectInvokeOptions) =>
      handlers.reduce((trigger, [name, handler]) => trigger.invoke(name, ANYTHING, handler), directInvoke(options)),
  },
  docs: {
    section: 'Invocations by name',
    rows: [
      [
        '`directInvoke({ discriminator })` with `invoke(name, schema, handler, { output })`; `DirectInvoke`, `DirectInvokeOptions`, `InvokeOptions`',
        'invocations by name: state machines, schedules, other functions',
      ],
      ['`buildInvocation(name, input)`, `InvocationPayload`', 'the payload of such an invocation'],
    ],
  },
  construct: null,
  simulate: null,
  aws: {
    author: 'a principal with `lambda:InvokeFunction`',
    failure: 'the caller receives the error',
    limit: '6 MB',
    attached: 'the caller',
  },
  sizes: { factory: 'directInvoke', gzipBytes: 12_900 },
});
