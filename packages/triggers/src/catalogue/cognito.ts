import { defineOptions, kind, object, string } from '@sallyport/core/options';
import { COGNITO_TRIGGER, cognitoTrigger } from '../kinds/cognito.js';
import { describeTrigger } from './entry.js';

/** Options of {@link buildCognitoEvent}. */
export interface CognitoEventOptions {
  /** The trigger source. Default `PreSignUp_SignUp`. */
  readonly triggerSource?: string;
  /** Default `user-1`. */
  readonly userName?: string;
  /** Members of `request`; `userAttributes` is `{}` unless given. */
  readonly request?: Readonly<Record<string, unknown>>;
  /** The member `response`; `null` leaves it out, as for custom senders. Default: the response of PreSignUp. */
  readonly response?: Readonly<Record<string, unknown>> | null;
}

const COGNITO_EVENT = /* @__PURE__ */ defineOptions<CognitoEventOptions>()({
  triggerSource: string.default('PreSignUp_SignUp'),
  userName: string.default('user-1'),
  request: object<Readonly<Record<string, unknown>>>(),
  response: kind<Readonly<Record<string, unknown>> | null>('an object or null', (value) => typeof value === 'object'),
});

const PRE_SIGN_UP = { autoConfirmUser: false, autoVerifyEmail: false, autoVerifyPhone: false };

/**
 * Builds an event of a Cognito user pool.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildCognitoEvent(options: CognitoEventOptions = {}): Record<string, unknown> {
  const { triggerSource, userName, request, response = PRE_SIGN_UP } = COGNITO_EVENT.parse(options);
  return {
    version: '1',
    region: 'us-east-1',
    userPoolId: 'us-east-1_example',
    userName,
    triggerSource,
    callerContext: { awsSdkVersion: 'aws-sdk-unknown-unknown', clientId: 'client-1' },
    request: { userAttributes: {}, validationData: null, ...request },
    ...(response !== null && { response: { ...response } }),
  };
}

/** Cognito in the catalogue. @internal */
export const COGNITO = /* @__PURE__ */ describeTrigger(COGNITO_TRIGGER, {
  sample: {
    build: buildCognitoEvent,
    events: [
      [buildCognitoEvent(), undefined],
      [buildCognitoEvent({ triggerSource: 'CustomSMSSender_SignUp', response: null }), undefined],
    ],
    names: ['PreSignUp_*', 'CustomSMSSender_*'],
    register: (handlers) =>
      handlers.reduce((trigger, [name, handler]) => trigger.on(name as 'PreSignUp_*', handler), cognitoTrigger()),
  },
  docs: {
    section: 'Cognito',
    rows: [
      [
        '`cognitoTrigger()` with `on(source, handler)`; `CognitoTrigger`, `CognitoTriggerSource`, `CognitoEvent`, `CognitoHandler`',
        'triggers of user pools',
      ],
    ],
  },
  construct: 'cognito',
  simulate: null,
  aws: {
    author: 'Cognito; a client wrote attributes',
    failure: 'Cognito retries up to twice, then shows the message to the user',
    limit: '6 MB',
  },
  hint: ['appsync', 'a Cognito trigger', 'triggerSource'],
  sizes: { factory: 'cognitoTrigger', gzipBytes: 12_350 },
});
