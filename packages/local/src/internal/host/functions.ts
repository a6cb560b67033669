import { join } from 'node:path';
import type { BuildOutcome } from '../build/builder.js';
import type { Config } from '../config/config.js';
import type { Inspection } from '../inspect/inspection.js';
import { FunctionRuntime, type FunctionRuntimeInit } from '../runtime/function-runtime.js';
import type { BuildProblem } from '../runtime/invoker.js';
import type { AuthorizedApi, FunctionAccess } from './host.js';

const LAMBDA = /^lambda:/;

/** The service and its Lambda authorizers: exports of the entry, each a separate function with the same code. */
export class Functions {
  readonly access: FunctionAccess;
  readonly #service: FunctionRuntime;
  readonly #authorizers = new Map<string, FunctionRuntime>();

  constructor(init: Omit<FunctionRuntimeInit, 'onInspection'>) {
    const { config, journal, now } = init;
    const exports: Readonly<Record<AuthorizedApi, string | undefined>> = {
      http: exportOf(config.authorizer),
      webSocket: exportOf(config.webSocketAuthorizer),
      graphql: exportOf(config.graphqlAuthorizer),
    };
    for (const name of new Set(Object.values(exports))) {
      if (name === undefined) continue;
      const own = { ...init, config: configOf(config, name), onInspection: () => {} };
      this.#authorizers.set(name, new FunctionRuntime(own));
    }
    const listeners = new Set<(inspection: Inspection) => void>();
    const service = new FunctionRuntime({
      ...init,
      onInspection: (inspection) => {
        journal.note({ at: now(), topic: 'inspection', text: '' });
        for (const listener of listeners) listener(inspection);
      },
    });
    this.#service = service;
    this.access = {
      invoker: service,
      authorizer: (api) => this.#authorizers.get(exports[api] ?? ''),
      inspection: () => service.inspection(),
      onInspection(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
  }

  /** Uses a successful build. */
  async use({ code, ms }: Extract<BuildOutcome, { kind: 'built' }>): Promise<void> {
    const authorizers = [...this.#authorizers].map(([handler, runtime]) =>
      runtime.use({ ...code, order: { ...code.order, handler } }, ms),
    );
    await Promise.all([this.#service.use(code, ms), ...authorizers]);
  }

  /** Reports a failed build: no event runs on old code. */
  break(problems: readonly BuildProblem[]): void {
    for (const runtime of this.#all()) runtime.break(problems);
  }

  /** Starts one environment of the service and stops it. @returns the milliseconds of its init phase. @throws InitFailure */
  coldStart(): Promise<number> {
    return this.#service.coldStart();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all().map((runtime) => runtime.stop()));
  }

  #all(): readonly FunctionRuntime[] {
    return [this.#service, ...this.#authorizers.values()];
  }
}

function exportOf(authorizer: string | undefined): string | undefined {
  return authorizer !== undefined && LAMBDA.test(authorizer) ? authorizer.replace(LAMBDA, '') : undefined;
}

/** Settings of an authorizer's function: its own name and folder. Only the service uses the debugger's port. */
function configOf(config: Config, handler: string): Config {
  const name = handler.replaceAll(/[^\w-]/g, '-');
  return {
    ...config,
    handler,
    name: `${config.name}-${name}`,
    stateFolder: join(config.stateFolder, 'tmp', name),
    inspect: undefined,
    managedInstances: undefined,
    durable: undefined,
  };
}
