import type { LambdaContext, MaybePromise } from '@sallyport/core';
import { isText, type Members, membersOf, rejectWithoutEventKey, stringOf } from '@sallyport/core/internal';
import { defineOptions, integer, list, object, text } from '@sallyport/core/options';
import type { Delivered, EventHandler, KeylessEventContext } from '@sallyport/streams/delivery';
import { refused } from '../errors.js';
import { bytesOf } from '../internal/bytes.js';
import { Decision, readDecision } from '../internal/decision.js';
import { assertHandler } from '../internal/handlers.js';
import { requiredText, sourceOf } from '../internal/read.js';
import { respond } from '../internal/respond.js';
import { defineTrigger, TriggerSurface } from '../internal/surface.js';

/** A device that connects: https://docs.aws.amazon.com/iot/latest/developerguide/custom-auth-lambda.html. */
export interface DeviceConnection {
  /** The token; `''` if the device sent none. */
  readonly token: string;
  /** True if AWS IoT has verified the signature of the token. */
  readonly isSignatureVerified: boolean;
  /** The protocols of the connection: `tls`, `http`, `mqtt`. */
  readonly protocols: readonly string[];
  /** Name, password and client id of MQTT; `undefined` for other protocols. */
  readonly mqtt?: { readonly userName: string; readonly password: Uint8Array; readonly clientId: string };
  /** Headers and query of HTTP; `undefined` for other protocols. */
  readonly http?: { readonly headers: Readonly<Record<string, unknown>>; readonly queryString: string };
  /** The host name of the TLS handshake; `''` if absent. */
  readonly serverName: string;
  /** The id of the connection, for logs. */
  readonly connectionId: string;
}

/** Options of {@link connectDevice}. An unknown key is rejected. */
export interface DeviceOptions {
  /** The id of the principal: 1 to 128 letters and digits. */
  readonly principalId: string;
  /** Policies of AWS IoT, at most 10 of 2,048 characters. */
  readonly policies: readonly object[];
  /** Seconds until AWS IoT ends the connection, 300 to 86,400. Default 86,400. */
  readonly disconnectAfterSeconds?: number;
  /** Seconds until AWS IoT invokes the authorizer again, 300 to 86,400. Default 300. */
  readonly refreshAfterSeconds?: number;
}

const DEVICE_OPTIONS = /* @__PURE__ */ defineOptions<DeviceOptions>()({
  principalId: /* @__PURE__ */ text('the id of a principal').required(),
  policies: /* @__PURE__ */ list(object<object>()).required(),
  disconnectAfterSeconds: /* @__PURE__ */ integer(300, 86_400, 'seconds').default(86_400),
  refreshAfterSeconds: /* @__PURE__ */ integer(300, 86_400, 'seconds').default(300),
});

/** Authenticates a device. Any result except that of {@link connectDevice}, and a throw, reject the connection. */
export type DeviceAuthorizer = (
  ctx: KeylessEventContext,
  connection: DeviceConnection,
) => MaybePromise<Decision<'iot-authorizer'> | undefined>;

/** Row, natural key and answer of custom authorizers of AWS IoT. @internal */
export const IOT_AUTHORIZER_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'iot-authorizer',
  anyOf: [
    [
      { path: 'signatureVerified', test: 'present' },
      { path: 'protocols[0]', test: 'text' },
      { path: 'protocolData', test: 'object' },
      { path: 'connectionMetadata.id', test: 'text' },
    ],
  ],
  sample: { signatureVerified: false, protocols: ['mqtt'], protocolData: {}, connectionMetadata: { id: 'i' } },
  // A connection is authorized again when its policies expire, with the same id.
  key: undefined,
  answer: '{ isAuthenticated, policyDocuments }',
  // https://docs.aws.amazon.com/iot/latest/developerguide/config-custom-auth.html
  maxMs: 5_000,
});

const REJECTED = { isAuthenticated: false };

/** The function of a custom authorizer of AWS IoT. */
export class IotAuthorizer extends TriggerSurface {
  readonly #handler: EventHandler<never>;

  constructor(handler: DeviceAuthorizer) {
    super(IOT_AUTHORIZER_TRIGGER);
    assertHandler(handler);
    rejectWithoutEventKey(this.kind, handler);
    this.#handler = handler as EventHandler<never>;
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { token, signatureVerified, protocols, protocolData, connectionMetadata } = membersOf(event);
    const { mqtt, http, tls } = membersOf(protocolData);
    const record: DeviceConnection = {
      token: stringOf(token),
      isSignatureVerified: signatureVerified === true,
      protocols: Array.isArray(protocols) ? protocols.filter((one) => typeof one === 'string') : [],
      ...(mqtt !== undefined && { mqtt: toMqtt(this.kind, membersOf(mqtt)) }),
      ...(http !== undefined && {
        http: { headers: membersOf(membersOf(http).headers), queryString: stringOf(membersOf(http).queryString) },
      }),
      serverName: stringOf(membersOf(tls).serverName),
      connectionId: requiredText(this.kind, 'connectionMetadata.id', membersOf(connectionMetadata).id),
    };
    return [{ handler: this.#handler, record, id: '', name: '', source: sourceOf('', '') }];
  }

  protected override answer([item]: readonly Delivered[], lambdaContext: LambdaContext | undefined): Promise<unknown> {
    const decide = (result: unknown) => readDecision(this.kind, result) ?? REJECTED;
    return respond(this.delivery, item as Delivered, lambdaContext, decide, () => REJECTED);
  }
}

function toMqtt(kind: string, { username, password, clientId }: Members) {
  return {
    userName: stringOf(username),
    password: password === undefined ? new Uint8Array() : bytesOf(kind, 'protocolData.mqtt.password', password),
    clientId: stringOf(clientId),
  };
}

const MAX_POLICIES = 10;
const MAX_POLICY_CHARACTERS = 2_048;

/**
 * Accepts a device.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option, an id with other characters, or policies that are too large
 * @example iotAuthorizer(async (ctx, { token }) => connectDevice({ principalId: await deviceOf(token), policies: [policy] }));
 */
export function connectDevice(options: DeviceOptions): Decision<'iot-authorizer'> {
  const { principalId, policies, disconnectAfterSeconds, refreshAfterSeconds } = DEVICE_OPTIONS.parse(options);
  if (!isText(principalId) || !/^[a-zA-Z0-9]{1,128}$/.test(principalId)) {
    throw refused('connectDevice: principalId must be 1 to 128 letters and digits');
  }
  const policyDocuments = policies.map((policy) => JSON.stringify(policy));
  const fits = policyDocuments.every(({ length }) => length <= MAX_POLICY_CHARACTERS);
  if (policies.length === 0 || policies.length > MAX_POLICIES || !fits) {
    throw refused('connectDevice: policies must be 1 to 10 documents of at most 2,048 characters');
  }
  return new Decision('iot-authorizer', {
    isAuthenticated: true,
    principalId,
    disconnectAfterInSeconds: disconnectAfterSeconds,
    refreshAfterInSeconds: refreshAfterSeconds,
    policyDocuments: policyDocuments.map((document) => JSON.parse(document) as object),
  });
}

/**
 * Makes the surface for a custom authorizer of AWS IoT. Any result except `connectDevice()`, and any error, rejects the connection.
 *
 * @throws FrameworkError `app.invalid_configuration` for a handler that is not a function
 * @example
 * const authorizer = iotAuthorizer((ctx, { mqtt }) => (isKnown(mqtt) ? connectDevice({ principalId: 'device1', policies }) : undefined));
 * const app = new SecureApp({ principalResolver, surfaces: [authorizer] });
 */
export function iotAuthorizer(handler: DeviceAuthorizer): IotAuthorizer {
  return new IotAuthorizer(handler);
}
