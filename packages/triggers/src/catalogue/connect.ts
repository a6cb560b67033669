import { defineOptions, object, string } from '@sallyport/core/options';
import { CONNECT_TRIGGER, type ConnectFlowOptions, connectFlow } from '../kinds/connect.js';
import { describeTrigger } from './entry.js';
import { only } from './internal/build.js';

/** Options of {@link buildConnectEvent}. */
export interface ConnectEventOptions {
  /** The id of the contact. Default `contact-1`. */
  readonly contactId?: string;
  /** Parameters of the block. Default: none. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Attributes of the contact. Default: none. */
  readonly attributes?: Readonly<Record<string, string>>;
}

const CONNECT_EVENT = /* @__PURE__ */ defineOptions<ConnectEventOptions>()({
  contactId: string.default('contact-1'),
  parameters: object<Readonly<Record<string, string>>>(),
  attributes: object<Readonly<Record<string, string>>>(),
});

/** A contact in a flow, in the form of its documentation. */
export interface ConnectEvent {
  /** Contact and parameters. */
  readonly Details: {
    readonly ContactData: {
      readonly Attributes: Record<string, string>;
      readonly Channel: 'VOICE' | 'CHAT' | 'EMAIL';
      readonly ContactId: string;
      readonly CustomerEndpoint: { readonly Address: string; readonly Type: 'TELEPHONE_NUMBER' } | null;
      readonly InitialContactId: string;
      readonly InitiationMethod: 'INBOUND' | 'OUTBOUND' | 'TRANSFER' | 'CALLBACK' | 'API';
      readonly InstanceARN: string;
      readonly PreviousContactId: string;
      readonly Queue: { readonly ARN: string; readonly Name: string } | null;
      readonly SystemEndpoint: { readonly Address: string; readonly Type: 'TELEPHONE_NUMBER' } | null;
    };
    readonly Parameters: Record<string, string>;
  };
  /** The name of the event. */
  readonly Name: 'ContactFlowEvent';
}

/**
 * Builds the event of a flow of Connect.
 *
 * @see https://docs.aws.amazon.com/connect/latest/adminguide/connect-lambda-functions.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildConnectEvent({ parameters: { step: 'greeting' } });
 */
export function buildConnectEvent(options: ConnectEventOptions = {}): ConnectEvent {
  const { contactId, parameters = {}, attributes = {} } = CONNECT_EVENT.parse(options);
  return {
    Details: {
      ContactData: {
        Attributes: { ...attributes },
        Channel: 'VOICE',
        ContactId: contactId,
        CustomerEndpoint: null,
        InitialContactId: contactId,
        InitiationMethod: 'INBOUND',
        InstanceARN: 'arn:aws:connect:us-east-1:123456789012:instance/instance-1',
        PreviousContactId: contactId,
        Queue: null,
        SystemEndpoint: null,
      },
      Parameters: { ...parameters },
    },
    Name: 'ContactFlowEvent',
  };
}

/** Flows of Connect in the catalogue. @internal */
export const CONNECT = /* @__PURE__ */ describeTrigger(CONNECT_TRIGGER, {
  sample: {
    build: buildConnectEvent,
    events: [[buildConnectEvent({ parameters: { step: 'greeting' } }), undefined]],
    names: [''],
    register: (handlers, options: ConnectFlowOptions = {}) => connectFlow(only(handlers), options),
  },
  docs: {
    section: 'Connect flows',
    rows: [
      [
        '`connectFlow(handler, { response })`; `ConnectFlow`, `ConnectFlowOptions`, `ConnectHandler`, `ConnectContact`',
        'flows of Connect',
      ],
    ],
  },
  construct: null,
  simulate: null,
  aws: {
    author: 'Connect; the flow wrote the parameters, a contact the attributes',
    failure: 'Connect retries up to three times within its timeout, then continues at the branch Error',
    limit: '32 KB',
    attached: 'the instance',
  },
  hint: ['event-bus', 'a Connect flow', 'Name', 'ContactFlowEvent'],
  sizes: { factory: 'connectFlow', gzipBytes: 11_900 },
});
