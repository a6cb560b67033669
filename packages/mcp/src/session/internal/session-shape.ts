import type { LogLevel, SessionVersion } from '../../protocol/internal/protocol.js';
import type { ClientCapabilities, Implementation } from '../../protocol/types.js';

/** What a request knows of its session. */
export interface Session {
  readonly version: SessionVersion;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Partition of its rows; `undefined` where nothing is stored. */
  readonly partition: string | undefined;
  /** `undefined`: in a row of its own, or nowhere. */
  readonly level: LogLevel | undefined;
  readonly expiresMs: number;
}

/** The session of a request when there are none. */
export const NO_SESSION: Omit<Session, 'version'> = {
  client: undefined,
  capabilities: {},
  partition: undefined,
  level: 'info',
  expiresMs: 0,
};
