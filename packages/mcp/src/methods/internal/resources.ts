import { isObject } from '@sallyport/core/internal';
import { checkScopes, nowMs } from '../../http/internal/transport.js';
import { own } from '../../protocol/internal/json-rpc.js';
import type { Era, JsonObject, ResourceContents } from '../../protocol/types.js';
import { invalidParams, unknownResource } from '../../server/errors.js';
import type { ServerData } from '../../server/internal/server-data.js';
import { subscribe, unsubscribe } from '../../session/internal/session.js';
import { defineList } from './lists.js';
import { defineMethod, isAuthorized, type MethodPlace } from './method.js';

const hasResources = ({ server }: MethodPlace) => server.registry.hasResources;
const takesSubscriptions = ({ server, session }: MethodPlace) =>
  server.registry.hasResources && server.settings.changes && session?.partition !== undefined;

export const listResources = defineList('resources/list', 'resources', {
  isServed: hasResources,
  capability: (notifies) => ({ resources: notifies ? { subscribe: true, listChanged: true } : {} }),
});

export const listResourceTemplates = defineList('resources/templates/list', 'resourceTemplates', {
  isServed: hasResources,
});

export const readResource = defineMethod({
  name: 'resources/read',
  eras: ['session', 'stateless'],
  isServed: hasResources,
  named: 'uri',
  findsCall: true,
  hooked: true,
  handle({ server, era, params }) {
    const { uri, found } = findResource(server, era, params);
    const target = 'resource' in found ? found.resource : found.template;
    return {
      call: {
        method: 'resources/read',
        target,
        name: uri,
        args: undefined,
        invoke: async (ctx) => {
          // For the caller, a resource that may not be read does not exist.
          if (!(await isAuthorized(target, ctx, uri))) return undefined;
          return 'resource' in found
            ? found.resource.handler(uri, ctx)
            : found.template.handler(found.variables, ctx, uri);
        },
        complete: (answer) => {
          const result = toResourceResult(uri, target.mimeType, answer);
          if (!result) throw unknownResource(era, uri);
          return result;
        },
        cache: { hint: target.cache },
      },
    };
  },
});

export const subscribeResource = defineMethod({
  name: 'resources/subscribe',
  eras: ['session'],
  isServed: takesSubscriptions,
  async handle({ server, http, era, session, params, hookContext }) {
    const { uri, found } = findResource(server, era, params);
    const target = 'resource' in found ? found.resource : found.template;
    checkScopes(http, target);
    if (!(await isAuthorized(target, hookContext(), uri))) throw unknownResource(era, uri);
    if (session) await subscribe(server, session, uri, nowMs(http.clock));
    return { result: { members: '' } };
  },
});

export const unsubscribeResource = defineMethod({
  name: 'resources/unsubscribe',
  eras: ['session'],
  isServed: takesSubscriptions,
  async handle({ server, era, session, params }) {
    const { uri } = findResource(server, era, params);
    if (session) await unsubscribe(server, session, uri);
    return { result: { members: '' } };
  },
});

function findResource({ registry }: ServerData, era: Era, params: JsonObject) {
  const uri = own(params, 'uri');
  if (typeof uri !== 'string') throw invalidParams('"uri" must be a string');
  const found = registry.findResource(uri);
  if (!found) throw unknownResource(era, uri);
  return { uri, found };
}

/** Converts the return value of a resource's handler to a result; `undefined` if the resource does not exist. */
function toResourceResult(uri: string, mimeType: string | undefined, answer: unknown): JsonObject | undefined {
  if (answer === undefined || answer === null) return undefined;
  const about = mimeType === undefined ? { uri } : { uri, mimeType };
  if (typeof answer === 'string') return contents({ ...about, text: answer });
  if (answer instanceof Uint8Array) {
    const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
    return contents({ ...about, blob: bytes.toString('base64') });
  }
  if (isObject(answer) && Array.isArray(answer.contents)) return answer;
  throw new TypeError('framework: mcp: a resource must return text, bytes or a full result');
}

const contents = (content: ResourceContents): JsonObject => ({ contents: [content] });
