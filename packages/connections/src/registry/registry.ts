import type { SecurePrincipal } from '@sallyport/core';
import type { ConnectionKey, ConnectionRegistry } from '@sallyport/http/websocket';

/** The stage of an API whose connections are listed. A {@link ConnectionKey} is one too. */
export type ConnectionsOfApi = Pick<ConnectionKey, 'apiId' | 'stage'>;

/** What names a principal: two that differ in kind, identity or tenant are two. */
export type PrincipalName = Pick<SecurePrincipal, 'identity' | 'kind' | 'tenantId'>;

/** Which part of a list is read. */
export interface ListOptions {
  /** Connections of one page at most, 1 to 1,000. Default 100. */
  readonly limit?: number | undefined;
  /** The `cursor` of the page before. */
  readonly cursor?: string | undefined;
  /** Ends the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** One page of a list. */
export interface ConnectionPage {
  /** Connections whose time is not over, the ones that end first before the others. */
  readonly connections: readonly ConnectionKey[];
  /** Hand it in for the next page. Only a missing cursor means the end. */
  readonly cursor?: string;
}

/**
 * Where connections are kept between events, with the groups (rooms, channels) that they joined. Lists are read from an
 * index of the table, which DynamoDB brings up to date a moment after the write.
 *
 * Every method throws ConnectionError `connections.store_unavailable` or `connections.store_failed` when the table fails.
 */
export interface GroupedConnectionRegistry<T = unknown> extends ConnectionRegistry<T> {
  /**
   * Adds a connection to a group, until the connection ends; `false` when the connection is unknown. Joining again has no
   * effect.
   *
   * @throws ConnectionError `connections.invalid_input` for a name that is not 1 to 256 bytes of text
   */
  join(key: ConnectionKey, group: string): Promise<boolean>;
  /** Takes a connection out of a group. Succeeds when it was not in it. */
  leave(key: ConnectionKey, group: string): Promise<void>;
  /** The groups that a connection is in, in the order of their names. */
  groupsOf(key: ConnectionKey): Promise<readonly string[]>;
  /** Reads one page of the connections of a group. */
  listByGroup(api: ConnectionsOfApi, group: string, options?: ListOptions): Promise<ConnectionPage>;
  /** Reads one page of the connections that a principal opened. */
  listByPrincipal(api: ConnectionsOfApi, principal: PrincipalName, options?: ListOptions): Promise<ConnectionPage>;
}
