import type { Clock, Context, Invocation, LambdaContext, Surface, SurfaceHost } from '@sallyport/core';
import {
  createSurfaceContext,
  LAMBDA_MAX_TIMEOUT_MS,
  remainingMs,
  type SurfaceContext,
  startSurfaceSpan,
} from '@sallyport/core/internal';
import { invalidOption } from '@sallyport/core/options';
import { nowMs } from '../http/internal/transport.js';
import { type ServerData, serverDataOf } from '../server/internal/server-data.js';
import type { McpServer } from '../server/server.js';
import { limitedServer } from '../store/internal/limited.js';
import type { Task } from './internal/rows.js';
import { runTask, TaskRequest } from './internal/run.js';
import { openToken } from './internal/task.js';

const KIND = 'mcp-task';

/** A surface of a container for the events of tasks. */
export interface McpTaskSurface extends Surface {
  /** Recognizes the events. */
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
 * Creates the surface that runs tasks. The container passes it the events that the option `tasks.start` of these servers sends. An
 * event contains the encrypted id of the task. The task runs for the caller who created it.
 *
 * @throws FrameworkError `app.invalid_configuration` for a server without the option `tasks`
 *
 * @example const app = new SecureApp({ surfaces: [mcpTasks(server)] });
 */
export function mcpTasks(...servers: readonly McpServer[]): McpTaskSurface {
  const known = servers.map((server) => serverDataOf(server));
  if (known.length === 0 || !known.every((data) => data?.settings.tasks !== undefined)) {
    throw invalidOption('tasks', 'set on each of the servers');
  }
  return new TaskSurface(known as readonly ServerData[]);
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
  readonly #servers: readonly ServerData[];
  #host: SurfaceHost | undefined;

  constructor(servers: readonly ServerData[]) {
    this.#servers = servers;
  }

  attach(host: SurfaceHost): void {
    this.#host = host;
  }

  /** Ignores a token of an unknown server: there is no client to notify, and a retry would not help. */
  async serve(_kind: string, event: unknown, invocation: Invocation): Promise<null> {
    const { token } = event as { readonly token: string };
    for (const server of this.#servers) {
      const data = this.#within(server, invocation);
      const id = await openToken(data, token);
      if (id === undefined) continue;
      data.registry.close();
      await this.#run(data, id, event, invocation);
      return null;
    }
    this.#host?.log.warn('mcp.task_refused', {});
    return null;
  }

  #within(server: ServerData, { lambdaContext }: Invocation): ServerData {
    if (!this.#host) return server;
    const { clock } = this.#host;
    return limitedServer(server, { clock, deadline: deadlineOf(clock, lambdaContext) });
  }

  async #run(data: ServerData, id: string, event: unknown, { lambdaContext }: Invocation): Promise<void> {
    const host = this.#host;
    if (!host) throw new Error('framework: mcp: pass mcpTasks() in the option "surfaces" of a container');
    let made: SurfaceContext | undefined;
    const toContext = ({ principal, tenantId }: Task): Context => {
      made = createSurfaceContext(host, {
        kind: KIND,
        event,
        lambdaContext,
        principal,
        tenantId,
      });
      startSurfaceSpan(host.observability, made.context, 'mcp task');
      return made.context;
    };
    const { clock, log } = host;
    const deadline = deadlineOf(clock, lambdaContext);
    const toRequest = (task: Task) => new TaskRequest(toContext(task), clock, task);
    try {
      await runTask(data, { id, clock, deadline, log, toRequest });
    } finally {
      await made?.end();
    }
  }
}

/** The end of the invocation in epoch milliseconds. */
function deadlineOf(clock: Clock, lambdaContext: LambdaContext | undefined): number {
  return nowMs(clock) + (remainingMs(lambdaContext) || LAMBDA_MAX_TIMEOUT_MS);
}
