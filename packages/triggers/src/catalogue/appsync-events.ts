import { defineOptions, kind, object, oneOf } from '@sallyport/core/options';
import { APPSYNC_EVENTS_TRIGGER, appSyncEvents } from '../kinds/appsync-events.js';
import { describeTrigger } from './entry.js';

/** Options of {@link buildAppSyncEventsEvent}. */
export interface AppSyncEventsEventOptions {
  /** Default `PUBLISH`. */
  readonly operation?: 'PUBLISH' | 'SUBSCRIBE';
  /** The published payloads. Default: one, `{ n: 1 }`. */
  readonly payloads?: readonly unknown[];
  /** The identity that the API has verified. Default `null`: an API key. */
  readonly identity?: Readonly<Record<string, unknown>> | null;
  /** Headers that the API passes on. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

const APPSYNC_EVENTS_EVENT = /* @__PURE__ */ defineOptions<AppSyncEventsEventOptions>()({
  operation: oneOf('PUBLISH', 'SUBSCRIBE').default('PUBLISH'),
  payloads: kind<readonly unknown[]>('a list', Array.isArray),
  identity: kind<Readonly<Record<string, unknown>> | null>('an object or null', (value) => typeof value === 'object'),
  headers: object<Readonly<Record<string, string>>>(),
});

/**
 * Builds the event of a channel of AppSync Events.
 *
 * @param path of the channel: `/news/sport`
 * @see https://docs.aws.amazon.com/appsync/latest/eventapi/direct-lambda-integrations.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildAppSyncEventsEvent('/news/sport', { payloads: [{ score: 1 }] });
 */
export function buildAppSyncEventsEvent(
  path: string,
  options: AppSyncEventsEventOptions = {},
): Record<string, unknown> {
  const { operation, payloads = [{ n: 1 }], identity = null, headers = {} } = APPSYNC_EVENTS_EVENT.parse(options);
  const segments = path.split('/').filter((segment) => segment !== '');
  return {
    identity,
    result: null,
    request: { headers: { ...headers }, domainName: null },
    info: { channel: { path, segments }, channelNamespace: { name: segments[0] ?? '' }, operation },
    error: null,
    prev: null,
    stash: {},
    outErrors: [],
    events: operation === 'PUBLISH' ? payloads.map((payload, index) => ({ id: `event-${index + 1}`, payload })) : null,
  };
}

/** AppSync Events channels in the catalogue. @internal */
export const APPSYNC_EVENTS = /* @__PURE__ */ describeTrigger(APPSYNC_EVENTS_TRIGGER, {
  sample: {
    build: buildAppSyncEventsEvent,
    events: [
      [buildAppSyncEventsEvent('/news/sport'), undefined],
      [buildAppSyncEventsEvent('/news/sport', { operation: 'SUBSCRIBE' }), undefined],
    ],
    names: ['/news/*'],
    register: (handlers) => {
      const surface = appSyncEvents();
      for (const [name, handler] of handlers) {
        surface.publish(name, async (ctx, event) => (await handler(ctx, event)) ?? event.payload);
        surface.subscribe(name, handler);
      }
      return surface;
    },
  },
  docs: {
    section: 'AppSync Events channels',
    rows: [
      [
        '`appSyncEvents()` with `publish(pattern, handler, posture)` and `subscribe(pattern, handler, posture)`; `AppSyncEvents`, `PublishHandler`, `PublishedEvent`, `PublishResult`, `SubscribeHandler`, `Subscription`',
        'channels of AppSync Events',
      ],
      ['`drop()`, `Drop`', 'drops a published event'],
    ],
  },
  construct: 'appSyncEvents',
  simulate: null,
  aws: {
    author: 'AppSync; a client wrote the payloads',
    failure: 'the publication or subscription fails',
    limit: '6 MB',
  },
  sizes: { factory: 'appSyncEvents', gzipBytes: 17_400 },
});
