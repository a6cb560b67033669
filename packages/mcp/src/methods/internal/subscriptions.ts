import type { Accepted } from '../../http/internal/accept.js';
import { type Exchange, jsonReply, nowMs, type Reply } from '../../http/internal/exchange.js';
import { messageFrame } from '../../http/internal/sse.js';
import { errorText, isObject, own, type RpcRequest, resultText } from '../../protocol/internal/json-rpc.js';
import { META, RPC } from '../../protocol/internal/protocol.js';
import { invalidParams } from '../../run/internal/call.js';
import type { Core } from '../../server/internal/core.js';
import type { Change } from './change-feed.js';
import { changeNotification, listenReply } from './listen.js';

export const MAX_SUBSCRIPTIONS = 100;

/** What a listener of the stateless era gets. */
interface Filter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

/** `subscriptions/listen`: an acknowledgement, the changes that were asked for, a result before the deadline. */
export function serveSubscriptions(
  core: Core,
  exchange: Exchange,
  { id, params }: RpcRequest,
  accepted: Accepted,
): Reply {
  if (!accepted.sse) return jsonReply(errorText(id, RPC.invalidRequest, 'Not acceptable'), 406);
  const filter = readFilter(core, own(params ?? {}, 'notifications'));
  const meta = { [META.subscriptionId]: id };
  const acknowledged = {
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: filter, _meta: meta },
  };
  const ended = { resultType: 'complete', _meta: { ...meta, [META.serverInfo]: core.settings.info } };
  return listenReply(core, exchange, {
    from: nowMs(exchange.clock),
    head: messageFrame(JSON.stringify(acknowledged)),
    frame: (change) => (wants(filter, change) ? messageFrame(changeNotification(change, meta)) : ''),
    tail: () => messageFrame(resultText(id, JSON.stringify(ended))),
  });
}

/** The part of a filter that this server can honour. */
function readFilter({ registry }: Core, notifications: unknown): Filter {
  if (!isObject(notifications)) throw invalidParams('"notifications" must be an object');
  const uris = own(notifications, 'resourceSubscriptions') ?? [];
  if (!Array.isArray(uris) || uris.length > MAX_SUBSCRIPTIONS || !uris.every((uri) => typeof uri === 'string')) {
    throw invalidParams(`"resourceSubscriptions" must be a list of at most ${MAX_SUBSCRIPTIONS} URIs`);
  }
  const known = uris.filter((uri) => registry.findResource(uri) !== undefined);
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
