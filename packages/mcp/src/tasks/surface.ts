import type { Context, Invocation, Surface, SurfaceHost } from '@sallyport/core';
import { invalidOption } from '@sallyport/core/options';
import { ContextState, IncomingRequest, RequestContext, type RequestSource } from '@sallyport/core/pipeline';
import { type Core, coreOf } from '../server/internal/core.js';
import type { McpServer } from '../server/server.js';
import { runTask, TaskRequest } from './internal/run.js';
import { openToken, type Task } from './internal/task.js';

const KIND = 'mcp-task';

/** A surface of a container: how it tells the events of tasks, and one of them. */
export interface McpTaskSurface extends Surface {
  /** Tells the events. */
  readonly rows: readonly {
    readonly kind: string;
    readonly anyOf: readonly (readonly (
      | { readonly path: string; readonly test: 'equals'; readonly value: string }
      | { readonly path: string; readonly test: 'text' }
    )[])[];
  }[];
  /** An event of a task. */
  readonly sample: unknown;
}

/**
 * The surface that runs tasks: the container passes it the events that the option `tasks.start` of these servers sends. An
 * event contains the encrypted id of the task; the caller is the one who created the task.
 *
 * @throws FrameworkError `app.invalid_configuration` for a server without the option `tasks`
 *
 * @example const app = new SecureApp({ surfaces: [mcpTasks(server)] });
 */
export function mcpTasks(...servers: readonly McpServer[]): McpTaskSurface {
  const cores = servers.map((server) => coreOf(server));
  if (cores.length === 0 || !cores.every((core) => core?.settings.tasks !== undefined)) {
    throw invalidOption('tasks', 'set on each of the servers');
  }
  return new TaskSurface(cores as readonly Core[]);
}

class TaskSurface implements McpTaskSurface {
  readonly serves = [KIND];
  readonly rows = [
    {
      kind: KIND,
      anyOf: [
        [
          { path: 'sallyport', test: 'equals', value: 'mcp.task' },
          { path: 'token', test: 'text' },
        ],
      ],
    },
  ] as const;
  readonly sample = { sallyport: 'mcp.task', token: 'v1.c2VhbGVk' };
  readonly #cores: readonly Core[];
  #host: SurfaceHost | undefined;

  constructor(cores: readonly Core[]) {
    this.#cores = cores;
  }

  attach(host: SurfaceHost): void {
    this.#host = host;
  }

  /** A token that none of the servers sealed runs nothing: nobody can be told, and a retry would not help. */
  async serve(_kind: string, event: unknown, invocation: Invocation): Promise<null> {
    const { token } = event as { readonly token: string };
    for (const core of this.#cores) {
      const id = await openToken(core, token);
      if (id === undefined) continue;
      core.registry.close();
      await this.#run(core, id, event, invocation);
      return null;
    }
    this.#host?.log.warn('mcp.task_refused', {});
    return null;
  }

  async #run(core: Core, id: string, event: unknown, { lambdaContext }: Invocation): Promise<void> {
    const host = this.#host;
    if (!host) throw new Error('framework: mcp: mcpTasks() belongs into the option "surfaces" of a container');
    const { clock, ids, log, environment, observability } = host;
    let state: ContextState | undefined;
    const toContext = ({ principal, tenantId }: Task): Context => {
      const runtime = { clock, ids, log, environment, observability, traceHead: [], tenantOf: () => tenantId };
      const request = new IncomingRequest('POST', '/', '/', NOTHING);
      state = new ContextState(runtime, request, KIND, event, lambdaContext);
      state.principal = principal;
      state.requestId = lambdaContext?.awsRequestId ?? ids.newId();
      return new RequestContext(state);
    };
    try {
      await runTask(core, id, (task) => new TaskRequest(toContext(task), clock, task));
    } finally {
      state?.end();
    }
  }
}

/** A task has no request of its own. */
const NOTHING: RequestSource = {
  headers: () => ({}),
  header: () => [],
  query: () => ({}),
  cookieValues: () => [],
  rawBody: '',
  isBase64: false,
  provenance: () => ({ sourceIP: '', provider: 'unknown', source: 'unknown', valid: false }),
};
