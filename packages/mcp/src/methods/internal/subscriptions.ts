import { isObject, lazily } from '@sallyport/core/internal';
import { checkScopes, jsonReply, type McpRequest, messageFrame, nowMs } from '../../http/internal/transport.js';
import { errorText, own, resultText } from '../../protocol/internal/json-rpc.js';
import { MAX_SUBSCRIPTIONS, META, RPC } from '../../protocol/internal/protocol.js';
import type { Change } from '../../server/definitions.js';
import { invalidParams } from '../../server/errors.js';
import type { ServerData } from '../../server/internal/server-data.js';
import { defineMethod, isAuthorized, type MethodRequest } from './method.js';

/** The notifications for a listener of the stateless era. */
interface Filter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

const loadParts = lazily(async () => {
  const [streams, stateless] = await Promise.all([
    import('../../run/internal/streams.js'),
    import('../../stateless/internal/serve.js'),
  ]);
  return { ...streams, ...stateless };
});
type Parts = Awaited<ReturnType<typeof loadParts>>;

/** Sends an acknowledgement, the requested changes, and a result before the deadline. */
export const listen = defineMethod({
  name: 'subscriptions/listen',
  eras: ['stateless'],
  isServed: ({ server, http }) => server.settings.changes && http.canStream,
  load: loadParts,
  async handle(request, parts) {
    const { server, http, id, params, accepted } = request;
    if (!accepted.sse) return { reply: jsonReply(errorText(id, RPC.invalidRequest, 'Not acceptable'), 406) };
    const asked = own(params, 'notifications');
    const taskIds = await readTaskIds(server, http, asked, parts);
    const filter = { ...(await readFilter(request, asked)), ...(taskIds.length > 0 ? { taskIds } : {}) };
    const meta = { [META.subscriptionId]: id };
    const acknowledged = {
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: filter, _meta: meta },
    };
    const ended = { resultType: 'complete', _meta: { ...meta, [META.serverInfo]: server.settings.info } };
    const reply = parts.listenReply(server, http, {
      from: nowMs(http.clock),
      head: messageFrame(JSON.stringify(acknowledged)),
      frame: (entry) => {
        if ('task' in entry)
          return taskIds.includes(entry.task) ? taskFrame(server, http, entry.task, meta, parts) : '';
        return wants(filter, entry) ? messageFrame(parts.changeNotification(entry, meta)) : '';
      },
      tail: () => messageFrame(resultText(id, JSON.stringify(ended))),
    });
    return { reply };
  },
});

/** The requested tasks that belong to the caller. */
async function readTaskIds(
  server: ServerData,
  http: McpRequest,
  notifications: unknown,
  { findTask }: Parts,
): Promise<readonly string[]> {
  const ids = (isObject(notifications) && server.settings.tasks ? own(notifications, 'taskIds') : undefined) ?? [];
  if (!Array.isArray(ids) || ids.length > MAX_SUBSCRIPTIONS || !ids.every((id) => typeof id === 'string')) {
    throw invalidParams(`"taskIds" must be a list of at most ${MAX_SUBSCRIPTIONS} ids`);
  }
  const found = await Promise.all(ids.map((id) => findTask(server, http, id)));
  return ids.filter((_, index) => found[index] !== undefined);
}

/** The current state of a task, as a notification. */
async function taskFrame(
  server: ServerData,
  http: McpRequest,
  id: string,
  _meta: object,
  part: Parts,
): Promise<string> {
  const task = await part.findTask(server, http, id);
  if (!task) return '';
  const params = { ...part.detailOf(server, task), _meta };
  return messageFrame(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tasks', params }));
}

/**
 * The part of a filter that this server supports.
 *
 * @throws RpcError for an invalid filter, FrameworkError `app.forbidden` for a resource whose scopes the caller does not have
 */
async function readFilter({ server, http, hookContext }: MethodRequest, notifications: unknown): Promise<Filter> {
  const { registry } = server;
  if (!isObject(notifications)) throw invalidParams('"notifications" must be an object');
  const uris = own(notifications, 'resourceSubscriptions') ?? [];
  if (!Array.isArray(uris) || uris.length > MAX_SUBSCRIPTIONS || !uris.every((uri) => typeof uri === 'string')) {
    throw invalidParams(`"resourceSubscriptions" must be a list of at most ${MAX_SUBSCRIPTIONS} URIs`);
  }
  const known: string[] = [];
  for (const uri of uris) {
    const found = registry.findResource(uri);
    if (!found) continue;
    const target = 'resource' in found ? found.resource : found.template;
    checkScopes(http, target);
    if (await isAuthorized(target, hookContext(), uri)) known.push(uri);
  }
  return {
    ...(own(notifications, 'toolsListChanged') === true && registry.tools.size > 0 ? { toolsListChanged: true } : {}),
    ...(own(notifications, 'promptsListChanged') === true && registry.prompts.size > 0
      ? { promptsListChanged: true }
      : {}),
    ...(own(notifications, 'resourcesListChanged') === true && registry.hasResources
      ? { resourcesListChanged: true }
      : {}),
    ...(known.length > 0 ? { resourceSubscriptions: known } : {}),
  };
}

function wants(filter: Filter, change: Change): boolean {
  if ('resource' in change) return filter.resourceSubscriptions?.includes(change.resource) === true;
  return filter[`${change.list}ListChanged`] === true;
}
