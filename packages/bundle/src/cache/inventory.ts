/** One HTTP, GraphQL or WebSocket operation, as `app.routes()` lists it. */
export interface BundleRoute {
  readonly surface: string;
  readonly method?: string;
  readonly path?: string;
  readonly posture?: string;
  readonly scopes?: readonly string[];
  readonly streaming?: boolean;
  readonly appSyncParentType?: string;
  readonly appSyncField?: string;
  readonly webSocketRouteKey?: string;
}

/** One event registration, as `app.triggers()` lists it. */
export interface BundleTrigger {
  readonly kind: string;
  readonly name?: string;
  readonly selector?: Readonly<Partial<Record<'source' | 'detailType' | 'ruleName' | 'scheduleName', string>>>;
}

/** The registrations of an application, as its handler describes them. */
export interface BundleInventory {
  readonly routes: readonly BundleRoute[];
  readonly triggers: readonly BundleTrigger[];
}
