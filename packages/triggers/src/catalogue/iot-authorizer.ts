import { defineOptions, string } from '@sallyport/core/options';
import { connectDevice, IOT_AUTHORIZER_TRIGGER, iotAuthorizer } from '../kinds/iot-authorizer.js';
import { describeTrigger } from './entry.js';
import { only, toBase64 } from './internal/build.js';

/** Options of {@link buildIotAuthorizerEvent}. */
export interface IotAuthorizerEventOptions {
  /** The token. Default: none. */
  readonly token?: string;
  /** The user name of MQTT. Default `device-1`. */
  readonly userName?: string;
  /** The password of MQTT. Default `secret`. */
  readonly password?: string;
}

const IOT_AUTHORIZER_EVENT = /* @__PURE__ */ defineOptions<IotAuthorizerEventOptions>()({
  token: string,
  userName: string.default('device-1'),
  password: string.default('secret'),
});

/** A device that connects, in the form of the documentation. */
export interface IotAuthorizerEvent {
  /** The token. */
  readonly token?: string;
  /** True if AWS IoT has verified the signature of the token. */
  readonly signatureVerified: boolean;
  /** The protocols of the connection. */
  readonly protocols: ('tls' | 'http' | 'mqtt')[];
  /** Data of each protocol. */
  readonly protocolData: {
    readonly tls?: { readonly serverName: string };
    readonly http?: { readonly headers: Record<string, string>; readonly queryString: string };
    readonly mqtt?: { readonly username?: string; readonly password?: string; readonly clientId: string };
  };
  /** The connection. */
  readonly connectionMetadata: { readonly id: string };
}

/**
 * Builds the event of a device that connects over MQTT.
 *
 * @see https://docs.aws.amazon.com/iot/latest/developerguide/custom-auth-lambda.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildIotAuthorizerEvent(options: IotAuthorizerEventOptions = {}): IotAuthorizerEvent {
  const { token, userName, password } = IOT_AUTHORIZER_EVENT.parse(options);
  return {
    ...(token !== undefined && { token }),
    signatureVerified: token !== undefined,
    protocols: ['tls', 'mqtt'],
    protocolData: {
      tls: { serverName: 'a1-ats.iot.us-east-1.amazonaws.com' },
      mqtt: { username: userName, password: toBase64(password), clientId: 'client-1' },
    },
    connectionMetadata: { id: 'connection-1' },
  };
}

/** Custom authorizers of AWS IoT in the catalogue. @internal */
export const IOT_AUTHORIZER = /* @__PURE__ */ describeTrigger(IOT_AUTHORIZER_TRIGGER, {
  sample: {
    build: buildIotAuthorizerEvent,
    events: [[buildIotAuthorizerEvent(), undefined]],
    names: [''],
    result: /* @__PURE__ */ connectDevice({
      principalId: 'device1',
      policies: [{ Version: '2012-10-17', Statement: [] }],
    }),
    register: (handlers) => iotAuthorizer(only(handlers)),
  },
  docs: {
    section: 'AWS IoT authorizers',
    rows: [
      [
        '`iotAuthorizer(handler)`, `connectDevice({ principalId, policies, disconnectAfterSeconds, refreshAfterSeconds })`; `IotAuthorizer`, `DeviceAuthorizer`, `DeviceConnection`, `DeviceOptions`',
        'custom authorizers of AWS IoT',
      ],
    ],
  },
  construct: null,
  simulate: null,
  aws: {
    author: 'AWS IoT; a device wrote token, name, password and headers',
    failure: 'AWS IoT rejects the connection',
    limit: '10 policies of 2,048 characters',
    attached: 'the authorizer',
  },
  sizes: { factory: 'iotAuthorizer', gzipBytes: 11_400 },
});
