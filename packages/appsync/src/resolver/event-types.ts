/**
 * The event of a direct Lambda resolver; with batching a list of them:
 * https://docs.aws.amazon.com/appsync/latest/devguide/resolver-mapping-template-reference-lambda.html#direct-lambda-resolvers.
 */
export interface AppSyncResolverEvent {
  /** The arguments of the field; empty or `null` when it has none. */
  readonly arguments: Record<string, unknown> | null;
  /** Which field is asked for. */
  readonly info: AppSyncResolverInfo;
  /** The HTTP request of the GraphQL client. */
  readonly request?: AppSyncResolverRequest | null;
  /** The caller, in the form of the API's authorization mode; `null` with an API key. */
  readonly identity?: unknown;
  /** The parent object that the field belongs to; `null` for fields of `Query`, `Mutation` and `Subscription`. */
  readonly source?: Record<string, unknown> | null;
  /** The result of the function before this one in a pipeline resolver; `null` without one. */
  readonly prev?: {
    /** What that function answered. */
    readonly result?: unknown;
  } | null;
  /** What the functions of a pipeline resolver share; empty at first. */
  readonly stash?: Record<string, unknown> | null;
}

/**
 * Which field is asked for:
 * https://docs.aws.amazon.com/appsync/latest/devguide/resolver-context-reference-js.html.
 */
export interface AppSyncResolverInfo {
  /** The name of the field. */
  readonly fieldName: string;
  /** The name of the type that the field belongs to: `Query`, `Mutation`, or a type of the schema. */
  readonly parentTypeName: string;
  /** The variables of the GraphQL request, by name. */
  readonly variables?: Record<string, unknown>;
  /** The fields that the client selected, nested ones as `author/name`. */
  readonly selectionSetList?: string[];
  /** The same as GraphQL text. */
  readonly selectionSetGraphQL?: string;
}

/**
 * The HTTP request of the GraphQL client:
 * https://docs.aws.amazon.com/appsync/latest/devguide/resolver-context-reference-js.html.
 */
export interface AppSyncResolverRequest {
  /** The headers that AppSync forwards, by name. */
  readonly headers?: Record<string, string | string[]> | null;
  /** The custom domain that was called; `null` with the API's own. */
  readonly domainName?: string | null;
}

/** What a resolver gets in place of data. The five keys are always there, in this order. */
export interface AppSyncErrorObject {
  /** Tells an error object from data. */
  readonly framework_error: true;
  /** The message of a FrameworkError; `internal error` for any other error. */
  readonly error_message: string;
  /** `CLIENT_ERROR` for the status 400 to 499, else `SYSTEM_ERROR`. */
  readonly error_type: 'CLIENT_ERROR' | 'SYSTEM_ERROR';
  /** `status_code`, and where they are known `request_id`, `trace_id` and `timestamp`. Empty for `internal error`. */
  readonly error_data: Readonly<Record<string, unknown>>;
  /** `code`, `trigger_type`, `method`, `path`, and `details` where the error has them. Empty for `internal error`. */
  readonly error_info: Readonly<Record<string, unknown>>;
}

/** One element of a batch field, as its handler gets it. */
export interface AppSyncBatchItem<C = unknown> {
  /** The context of the element; each has its own. */
  readonly ctx: C;
  /** The arguments of the field; `{}` when the event has none. */
  readonly arguments: Record<string, unknown>;
  /** The parent object that the field belongs to; `{}` when the event has none. */
  readonly source: Record<string, unknown>;
}
