import { join } from 'node:path';
import type { BuildOutcome } from '../build/builder.js';
import type { Config } from '../config/config.js';
import type { FunctionRuntime } from '../runtime/function-runtime.js';
import type { BuildProblem, Invoker } from '../runtime/invoker.js';
import type { AuthorizedApi } from './host.js';

const LAMBDA = /^lambda:/;

/** The Lambda authorizers of a run: exports of the entry, each a separate function with the same code. */
export class Authorizers {
  readonly #exports: Readonly<Record<AuthorizedApi, string | undefined>>;
  readonly #runtimes = new Map<string, FunctionRuntime>();

  constructor(config: Config, create: (config: Config) => FunctionRuntime) {
    const { authorizer, webSocketAuthorizer, graphqlAuthorizer } = config;
    this.#exports = {
      http: exportOf(authorizer),
      webSocket: exportOf(webSocketAuthorizer),
      graphql: exportOf(graphqlAuthorizer),
    };
    for (const name of Object.values(this.#exports)) {
      if (name !== undefined && !this.#runtimes.has(name)) this.#runtimes.set(name, create(configOf(config, name)));
    }
  }

  /** The invoker of an API's authorizer; `undefined` if the API has no authorizer. */
  get(api: AuthorizedApi): Invoker | undefined {
    return this.#runtimes.get(this.#exports[api] ?? '');
  }

  async use({ code, ms }: Extract<BuildOutcome, { kind: 'built' }>): Promise<void> {
    const all = [...this.#runtimes].map(([handler, runtime]) =>
      runtime.use({ ...code, order: { ...code.order, handler } }, ms),
    );
    await Promise.all(all);
  }

  break(problems: readonly BuildProblem[]): void {
    for (const runtime of this.#runtimes.values()) runtime.break(problems);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#runtimes.values()].map((runtime) => runtime.stop()));
  }

  stopGuardians(): void {
    for (const { guardian } of this.#runtimes.values()) guardian.stop();
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
  };
}
