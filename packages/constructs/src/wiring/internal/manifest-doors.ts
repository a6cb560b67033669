import { Token } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import type { DoorManifestSettings, DoorRoute, IHttpDoor } from '../../http/door.js';

/** A door that a wiring attached. */
export interface ManifestDoor {
  readonly kind: IHttpDoor['doorKind'] | 'graphql' | 'websocket';
  readonly streams?: boolean;
  readonly routes?: readonly DoorRoute[];
  readonly door?: IHttpDoor;
  /** The stage of a WebSocket API. */
  readonly stage?: string;
  /** The construct of the door. */
  readonly construct: IConstruct;
}

/** A door in the manifest: its kind, its routes, and the settings that are known before the deployment. */
export function describeDoor({ kind, streams, routes, door, stage }: ManifestDoor): object {
  const keys = routes && [...new Set([...routes.map(keyOf), ...(door?.routes ?? [])])];
  return {
    kind,
    ...(streams !== undefined && { streams }),
    ...(keys && { routes: keys }),
    ...(stage !== undefined && { stage }),
    ...(door && settingsOf(door, routes ?? [], keys ?? [])),
  };
}

const keyOf = ({ method, path }: DoorRoute) => `${method} ${path}`;

function settingsOf(door: IHttpDoor, routes: readonly DoorRoute[], keys: readonly string[]): object {
  const { stage, binaryMediaTypes, multiValueHeaders, jwt, open = [] } = door.manifestSettings?.() ?? {};
  const opened = new Set([...open, ...routes.filter(({ withoutAuthorizer }) => withoutAuthorizer).map(keyOf)]);
  return {
    ...(stage !== undefined && { stage }),
    ...(binaryMediaTypes && { binaryMediaTypes: known(binaryMediaTypes) }),
    ...(multiValueHeaders !== undefined && { multiValueHeaders }),
    ...(jwt && { jwt: Object.fromEntries(keys.flatMap((key) => (opened.has(key) ? [] : [[key, jwtOf(jwt)]]))) }),
  };
}

function jwtOf({ issuer, audience }: NonNullable<DoorManifestSettings['jwt']>): object {
  return { ...(!Token.isUnresolved(issuer) && { issuer }), audience: known(audience) };
}

/** The values that are known before the deployment. */
function known(values: readonly string[]): readonly string[] {
  return values.filter((value) => !Token.isUnresolved(value));
}
