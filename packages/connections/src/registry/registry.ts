import type { CallScope, SecurePrincipal } from '@sallyport/core';
import type { ConnectionKey, ConnectionRegistry } from '@sallyport/http/websocket';

/** The stage of an API whose connections are listed. A {@link ConnectionKey} is accepted, too. */
export type ConnectionsOfApi = Pick<ConnectionKey, 'apiId' | 'stage'>;

/** Identifies a principal. Principals that differ in kind, identity or tenant are different. */
export type PrincipalName = Pick<SecurePrincipal, 'identity' | 'kind' | 'tenantId'>;

/** The requested part of a list. */
export interface ListOptions {
  /** The most connections of one page, 1 to 1,000. Default 100. */
  readonly limit?: number | undefined;
  /** The `cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Ends the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** One page of a list. */
export interface ConnectionPage {
  /** Connections that have not expired, in the order of their expiry. */
  readonly connections: readonly ConnectionKey[];
  /** Pass it to the next call for the next page. Only a missing cursor means the end. */
  readonly cursor?: string;
}

/**
 * Stores connections between events, with the groups (rooms, channels) that they joined. Lists are read from an index of the
 * table, which DynamoDB updates shortly after the write.
 *
 * Every method throws ConnectionError `connections.store_unavailable` or `connections.store_failed` if the table fails.
 */
export interface GroupedConnectionRegistry<T = unknown> extends ConnectionRegistry<T> {
  /**
   * Adds a connection to a group until the connection ends. Returns `false` if the connection is unknown. Joining again has no
   * effect.
   *
   * @throws ConnectionError `connections.invalid_input` for a name that is not a string of 1 to 256 bytes
   */
  join(key: ConnectionKey, group: string, options?: CallScope): Promise<boolean>;
  /** Removes a connection from a group. Also succeeds if the connection was not in the group. */
  leave(key: ConnectionKey, group: string, options?: CallScope): Promise<void>;
  /** Returns the groups of a connection, in the order of their names. */
  groupsOf(key: ConnectionKey, options?: CallScope): Promise<readonly string[]>;
  /** Reads one page of the connections of a group. */
  listByGroup(api: ConnectionsOfApi, group: string, options?: ListOptions): Promise<ConnectionPage>;
  /** Reads one page of the connections that a principal opened. */
  listByPrincipal(api: ConnectionsOfApi, principal: PrincipalName, options?: ListOptions): Promise<ConnectionPage>;
}
