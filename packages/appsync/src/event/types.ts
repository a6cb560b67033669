/** The event that AppSync sends to a direct Lambda resolver. */
export interface AppSyncResolverEvent {
  readonly arguments: Record<string, unknown> | null;
  readonly info: AppSyncResolverInfo;
  readonly request?: AppSyncResolverRequest | null;
  readonly identity?: unknown;
  readonly source?: Record<string, unknown> | null;
  readonly prev?: { readonly result?: unknown } | null;
  readonly stash?: Record<string, unknown> | null;
}

export interface AppSyncResolverInfo {
  readonly fieldName: string;
  readonly parentTypeName: string;
  readonly variables?: Record<string, unknown>;
  readonly selectionSetList?: string[];
  readonly selectionSetGraphQL?: string;
}

export interface AppSyncResolverRequest {
  readonly headers?: Record<string, string | string[]> | null;
  readonly domainName?: string | null;
}

/** What a resolver gets in place of data. The five keys are always there, in this order. */
export interface AppSyncErrorObject {
  readonly framework_error: true;
  readonly error_message: string;
  readonly error_type: 'CLIENT_ERROR' | 'SYSTEM_ERROR';
  readonly error_data: Readonly<Record<string, unknown>>;
  readonly error_info: Readonly<Record<string, unknown>>;
}

/** One element of a batch field, as its handler gets it. */
export interface AppSyncBatchItem<C = unknown> {
  readonly ctx: C;
  readonly arguments: Record<string, unknown>;
  readonly source: Record<string, unknown>;
}
