import { toArn } from '../../aws/names.js';
import type { Config } from '../../config/config.js';
import { AsyncSource } from '../../sources/async.js';
import type { SourceType } from '../../sources/source.js';
import { newId } from '../../sources/sources-context.js';
import type { LocalService } from '../service.js';
import { createLambda } from './operations.js';

/** Log lines reach the run at most this many milliseconds after the response. */
const LATE_LINES_MS = 50;

/** Asynchronous invocations of a function. They need no registration. */
const invocations: SourceType<AsyncSource, 'invoke', never> = {
  kind: 'invoke',
  arn: (name) => toArn('lambda', `function:${name}`),
  create: (run, name) => new AsyncSource(invocations, name, run),
  register() {},
  hasHandler: () => true,
};

/** The functions of a run by the names that a call can contain: of the run, of AWS, and of the template, plan or manifest. */
function functionNames({ name, fleet, deployed }: Pick<Config, 'name' | 'fleet' | 'deployed'>) {
  const names = new Map<string, string>();
  const all = fleet?.functions ?? [{ name, deployed: deployed?.fn }];
  for (const one of all) {
    const path = one.deployed?.name;
    for (const known of [path, path?.split(/[/.]/).pop(), one.deployed?.functionName])
      if (known !== undefined && !names.has(known)) names.set(known, one.name);
  }
  for (const one of all) names.set(one.name, one.name);
  return names;
}

/** Lambda, for the functions of the run. */
export const lambda = {
  name: 'lambda',
  sources: [invocations],
  operations: ({ config, invoker, sources, journal, executions }) => {
    const names = functionNames(config);
    return createLambda({
      executions,
      find: (name) => names.get(name),
      logsOf: async (id) => {
        await new Promise<void>((resolve) => sources.realClock.after(LATE_LINES_MS, resolve));
        return journal.get(id)?.logs.map(({ text }) => text) ?? [];
      },
      invoke: (event, options) => invoker.invoke(event, options),
      invokeLater: (name, event, traceId) => void sources.get(invocations, name).send(newId(), event, traceId),
    });
  },
} as const satisfies LocalService;
