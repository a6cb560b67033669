/** One HTTP, GraphQL or WebSocket operation, as `app.routes()` lists it. */
export interface BundleRoute {
  /** `http`, `appsync` or `websocket`. */
  readonly surface: string;
  /** HTTP method in upper case. */
  readonly method?: string;
  /** Pattern of the router. */
  readonly path?: string;
  /** The posture of the operation; only in the closed container. */
  readonly posture?: string;
  /** The scopes of the posture. */
  readonly scopes?: readonly string[];
  /** True if the response is sent before the handler ends. */
  readonly streaming?: boolean;
  /** GraphQL parent type. */
  readonly appSyncParentType?: string;
  /** GraphQL field. */
  readonly appSyncField?: string;
  /** Route key of a WebSocket. */
  readonly webSocketRouteKey?: string;
}

/** One event registration, as `app.triggers()` lists it. */
export interface BundleTrigger {
  /** The kind of the events: `queue`, `event-bus`, or the kind of an opt-in trigger. */
  readonly kind: string;
  /** The registered name of the handler; absent for event buses. */
  readonly name?: string;
  /** The events of a bus that the handler receives. */
  readonly selector?: Readonly<Partial<Record<'source' | 'detailType' | 'ruleName' | 'scheduleName', string>>>;
}

/** The registrations of an application, as its handler describes them. */
export interface BundleInventory {
  /** Operations in the order of their registration. */
  readonly routes: readonly BundleRoute[];
  /** Event registrations in their order. */
  readonly triggers: readonly BundleTrigger[];
  /** The names of the container's options, and `events`, `graphql` and `websocket` if they are registered; only for `createApp` and `SecureApp`. */
  readonly uses?: readonly string[];
}

/** The description of an application that was loaded once for its bundle. */
export interface LoadedApplication {
  /** The first line of the error, if the application does not load. */
  readonly error?: string;
  /** The registrations; `undefined` for a handler that is not of a container. */
  readonly inventory?: BundleInventory;
  /** The registrations with their schemas, for `toContract` of `@sallyport/contract/service`. */
  readonly contract?: object;
  /** The options of the application that determine its deployment: CORS, authorizers, metrics. */
  readonly deployment?: unknown;
  /** The variables that `environment()` of `@sallyport/parameters` describes, with their state while the application is loaded. */
  readonly environment?: unknown;
  /** `json`, or the kind of events whose responses the handler streams: `gateway-v1`, `function-url`. */
  readonly format?: string;
  /** The variables that the application reads while it is loaded. */
  readonly read?: readonly string[];
  /** Those of them that were not set. */
  readonly missing?: readonly string[];
  /** True if the application loads only with a placeholder for each of them. */
  readonly onlyWithPlaceholders?: boolean;
}
