import type { RouteRecord } from '@sallyport/http';
import { addressOf, type Registration } from '@sallyport/http/pipeline';
import type { Posture, PostureKind } from './postures/posture.js';

/** One line of `app.routes()` of the closed container. */
export interface SecureRouteRecord extends Omit<RouteRecord, 'authRequired'> {
  readonly posture: PostureKind;
  /** In normal form; absent when there are none. */
  readonly scopes?: readonly string[];
}

/** The inventory's line of a registration; frozen. */
export function toSecureRouteRecord(registration: Registration): SecureRouteRecord {
  const { kind, scopes } = registration.posture as Posture;
  return Object.freeze({
    ...addressOf(registration),
    posture: kind,
    ...(scopes.length > 0 ? { scopes: Object.freeze([...scopes]) } : {}),
    ...(registration.streaming ? { streaming: true } : {}),
  });
}
