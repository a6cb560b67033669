/**
 * The event of a direct Lambda resolver; with batching a list of them:
 * https://docs.aws.amazon.com/appsync/latest/devguide/resolver-mapping-template-reference-lambda.html#direct-lambda-resolvers.
 */
export interface AppSyncResolverEvent {
  /** The arguments of the field; empty or `null` if the field has no arguments. */
  readonly arguments: Record<string, unknown> | null;
  /** The requested field. */
  readonly info: AppSyncResolverInfo;
  /** The HTTP request of the GraphQL client. */
  readonly request?: AppSyncResolverRequest | null;
  /** The caller, in the format of the API's authorization mode; `null` with an API key. */
  readonly identity?: unknown;
  /** The parent object that the field belongs to; `null` for fields of `Query`, `Mutation` and `Subscription`. */
  readonly source?: Record<string, unknown> | null;
  /** The result of the previous function in a pipeline resolver; `null` if absent. */
  readonly prev?: {
    /** The answer of the previous function. */
    readonly result?: unknown;
  } | null;
  /** Shared data of the functions of a pipeline resolver; empty at first. */
  readonly stash?: Record<string, unknown> | null;
}

/**
 * The requested field:
 * https://docs.aws.amazon.com/appsync/latest/devguide/resolver-context-reference-js.html.
 */
export interface AppSyncResolverInfo {
  /** The name of the field. */
  readonly fieldName: string;
  /** The name of the type that the field belongs to: `Query`, `Mutation`, or a type of the schema. */
  readonly parentTypeName: string;
  /** The variables of the GraphQL request, by name. */
  readonly variables?: Record<string, unknown>;
  /** The selected fields, nested fields as `author/name`. */
  readonly selectionSetList?: string[];
  /** The same selection as GraphQL. */
  readonly selectionSetGraphQL?: string;
}

/**
 * The HTTP request of the GraphQL client:
 * https://docs.aws.amazon.com/appsync/latest/devguide/resolver-context-reference-js.html.
 */
export interface AppSyncResolverRequest {
  /** The headers that AppSync forwards, by name. */
  readonly headers?: Record<string, string | string[]> | null;
  /** The custom domain of the request; `null` for the API's domain. */
  readonly domainName?: string | null;
}

/** The result of a failed field in place of data. It always has these five keys, in this order. */
export interface AppSyncErrorObject {
  /** Marks an error object. */
  readonly framework_error: true;
  /** The message of a FrameworkError; `internal error` for any other error. */
  readonly error_message: string;
  /** `CLIENT_ERROR` for the status 400 to 499, else `SYSTEM_ERROR`. */
  readonly error_type: 'CLIENT_ERROR' | 'SYSTEM_ERROR';
  /** `status_code`, and if available `request_id`, `trace_id` and `timestamp`. Empty for `internal error`. */
  readonly error_data: Readonly<Record<string, unknown>>;
  /** `code`, `trigger_type`, `method`, `path`, and the `details` of the error, if any. Empty for `internal error`. */
  readonly error_info: Readonly<Record<string, unknown>>;
}

/** One element of a batch field, for its handler. */
export interface AppSyncBatchItem<C = unknown> {
  /** The context of the element. */
  readonly ctx: C;
  /** The arguments of the field; `{}` if the event has no arguments. */
  readonly arguments: Record<string, unknown>;
  /** The parent object of the field; `{}` if the event has no parent object. */
  readonly source: Record<string, unknown>;
}
