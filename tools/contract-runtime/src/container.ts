import type { Registration, Setup } from '@sallyport/contract';
import type { Surface, WebSocketClient } from '@sallyport/core';
import { camelOptions } from './casing.js';
import { eventHandler, eventMiddleware } from './handlers/event.js';
import { readNamed } from './handlers/named.js';
import { requestHandler, requestMiddleware } from './handlers/request.js';
import { mountServer } from './mcp.js';
import { containerOptions, principalOptions } from './options.js';
import { makePosture } from './postures.js';
import { isOptIn, makeSurfaces } from './surfaces.js';
import type { World } from './world.js';

/** The parts of a container that fixtures use; each container has some of them. */
export interface Container {
  readonly handleLambda: (event: unknown, lambdaContext?: unknown) => Promise<unknown>;
  readonly explain?: (event: unknown, lambdaContext?: unknown) => object;
  readonly detect?: (event: unknown) => string;
  readonly [member: string]: unknown;
}

/** Builds the container of a setup; its error is the fixture's construction error. */
export async function buildContainer(setup: Setup, world: World): Promise<Container | undefined> {
  const container = await CONTAINERS[setup.container](setup, world);
  world.app = container;
  if (!container) return undefined;
  const target = (container.router ?? container) as Record<string, (...args: unknown[]) => unknown>;
  for (const named of setup.middlewares ?? []) target.use?.(await requestMiddleware(named, world));
  for (const named of setup.event_middlewares ?? []) target.useEvents?.(eventMiddleware(named, world));
  for (const registration of (setup.register ?? []).filter((one) => !isOptIn(one)))
    await register(target, registration, world);
  return container;
}

const CONTAINERS: Readonly<Record<Setup['container'], (setup: Setup, world: World) => Promise<Container | undefined>>> =
  {
    open: async (setup, world) => {
      const { createApp } = await import('@sallyport/dispatch/app');
      const options = { ...containerOptions(setup, world), ...socketOptions(setup, world) };
      return createApp({ ...options, ...(await surfaceOptions(setup, world)) }) as unknown as Container;
    },
    secure: async (setup, world) => {
      const { SecureApp } = await import('@sallyport/secure');
      const options = {
        ...containerOptions(setup, world),
        ...socketOptions(setup, world),
        ...(await principalOptions(setup, world)),
        ...(await surfaceOptions(setup, world)),
      };
      return new SecureApp(options) as unknown as Container;
    },
    events: async (setup, world) => {
      const [{ createEventRouter }, { createDispatcherWith }] = await Promise.all([
        import('@sallyport/streams'),
        import('@sallyport/dispatch'),
      ]);
      const router = createEventRouter(containerOptions(setup, world));
      const { log } = world.env.options();
      return { ...createDispatcherWith({ log }, router), router } as unknown as Container;
    },
    none: async () => undefined,
  };

async function surfaceOptions(setup: Setup, world: World): Promise<{ surfaces?: Surface[] }> {
  const surfaces = await makeSurfaces(setup, world);
  return surfaces.length === 0 ? {} : { surfaces };
}

/** A client that records what handlers post; only if a handler posts. */
function socketOptions(setup: Setup, world: World): object {
  const senders = (setup.register ?? [])
    .map(({ handler = null }) => readNamed(handler))
    .filter((read) => read?.use === 'send');
  if (senders.length === 0) return {};
  const gone = senders.some((read) => read?.parameters.gone === true);
  const client: WebSocketClient = {
    async postToConnection(connectionId, data) {
      const post = { connection_id: connectionId, base64: Buffer.from(data).toString('base64') };
      world.calls.push({ post });
      return { gone };
    },
    getConnection: async () => null,
    deleteConnection: async () => {},
  };
  return { webSocketClientFactory: () => client };
}

type Target = Record<string, (...args: unknown[]) => unknown>;

/** The method of a record surface. */
const RECORD_METHODS: Readonly<Record<string, string>> = {
  queue: 'queue',
  'table-stream': 'tableStream',
  stream: 'kinesis',
  topic: 'topic',
};

async function register(target: Target, registration: Registration, world: World): Promise<void> {
  const { surface, handler = null } = registration;
  if (surface === 'mcp') return mountServer(target, registration, world);
  const options = registration.options && camelOptions(registration.options);
  const method = RECORD_METHODS[surface];
  if (method !== undefined) {
    const rest = options === undefined ? [] : [options];
    target[method]?.(registration.name, eventHandler(handler, world), ...rest);
  } else if (surface === 'event-bus') {
    target.eventBus?.(camelOptions(registration.selector ?? {}), eventHandler(handler, world));
  } else {
    const extra = registration.posture === undefined ? options : await makePosture(registration.posture);
    target[REQUEST_METHODS[surface] ?? '']?.(
      ...addressOf(registration),
      requestHandler(handler, world),
      ...(extra === undefined ? [] : [extra]),
    );
  }
}

const REQUEST_METHODS: Readonly<Record<string, string>> = {
  http: 'handle',
  appsync: 'appSyncField',
  'appsync-batch': 'appSyncBatchField',
  websocket: 'webSocket',
};

function addressOf({ surface, method, pattern, parent_type, field, route_key }: Registration): readonly unknown[] {
  if (surface === 'http') return [method, pattern];
  return surface === 'websocket' ? [route_key] : [parent_type, field];
}
