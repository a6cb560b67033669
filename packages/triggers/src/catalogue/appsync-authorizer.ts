import { defineOptions, oneOf, string } from '@sallyport/core/options';
import { APPSYNC_AUTHORIZER_TRIGGER, AppSyncDecision, appSyncAuthorizer } from '../kinds/appsync-authorizer.js';
import { describeTrigger } from './entry.js';
import { only } from './internal/build.js';

/** Options of {@link buildAppSyncAuthorizerEvent}. */
export interface AppSyncAuthorizerEventOptions {
  /** `graphql`, or an Event API: `events`. Default `graphql`. */
  readonly api?: 'graphql' | 'events';
  /** Default `token`. */
  readonly token?: string;
}

const APPSYNC_AUTHORIZER_EVENT = /* @__PURE__ */ defineOptions<AppSyncAuthorizerEventOptions>()({
  api: oneOf('graphql', 'events').default('graphql'),
  token: string.default('token'),
});

/** The event of an AppSync authorizer. */
export interface AppSyncAuthorizerEvent {
  /** The token of the client. */
  readonly authorizationToken: string;
  /** The request. */
  readonly requestContext: {
    readonly apiId: string;
    readonly accountId: string;
    readonly requestId: string;
    readonly queryString: string;
    readonly variables: Record<string, unknown>;
    readonly [name: string]: unknown;
  };
  /** The headers of the client. */
  readonly requestHeaders: Record<string, string>;
}

/**
 * Builds the event of an AppSync authorizer.
 *
 * @see https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildAppSyncAuthorizerEvent(options: AppSyncAuthorizerEventOptions = {}): AppSyncAuthorizerEvent {
  const { api, token } = APPSYNC_AUTHORIZER_EVENT.parse(options);
  const ids = { apiId: 'api-1', accountId: '123456789012', requestId: 'request-1' };
  const graphql = { queryString: 'query { note }', operationName: 'note', variables: {} };
  const events = { operation: 'EVENT_PUBLISH', channelNamespaceName: 'news', channel: '/news/sport' };
  const requestContext = { ...ids, ...(api === 'graphql' ? graphql : events) } as never;
  return { authorizationToken: token, requestContext, requestHeaders: { authorization: token } };
}

/** AppSync authorizers in the catalogue. @internal */
export const APPSYNC_AUTHORIZER = /* @__PURE__ */ describeTrigger(APPSYNC_AUTHORIZER_TRIGGER, {
  sample: {
    build: buildAppSyncAuthorizerEvent,
    events: [
      [buildAppSyncAuthorizerEvent(), undefined],
      [buildAppSyncAuthorizerEvent({ api: 'events' }), undefined],
    ],
    names: [''],
    result: /* @__PURE__ */ AppSyncDecision.deny(),
    register: (handlers) => appSyncAuthorizer(only(handlers)),
  },
  docs: {
    section: 'AppSync authorizers',
    rows: [
      [
        '`appSyncAuthorizer(handler)`, `AppSyncDecision.allow({ context, deniedFields, ttlSeconds })`, `AppSyncDecision.deny()`; `AppSyncAuthorizer`, `AppSyncAuthorizerRequest`, `AppSyncAuthorizerAnswer`, `AppSyncAllowance`',
        'authorizers of GraphQL and Event APIs',
      ],
    ],
  },
  construct: 'appSyncAuthorizer',
  simulate: null,
  aws: { author: 'AppSync; a client wrote the token', failure: 'AppSync denies the request', limit: '6 MB' },
  sizes: { factory: 'appSyncAuthorizer', gzipBytes: 11_200 },
});
