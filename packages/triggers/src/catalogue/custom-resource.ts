import { defineOptions, object, oneOf, string } from '@sallyport/core/options';
import { CUSTOM_RESOURCE_TRIGGER, type CustomResourceOptions, customResource } from '../kinds/custom-resource.js';
import { describeTrigger } from './entry.js';
import { only } from './internal/build.js';

/** Options of {@link buildCustomResourceEvent}. */
export interface CustomResourceEventOptions {
  /** Default `Create`. */
  readonly requestType?: 'Create' | 'Update' | 'Delete';
  /** URL for the answer. Default: a URL of S3. */
  readonly responseUrl?: string;
  /** The id of the resource. Default: `resource-1`, left out of `Create`. */
  readonly physicalId?: string;
  /** Properties of the resource. Default: none. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** Its properties before an update. Default: none. */
  readonly oldProperties?: Readonly<Record<string, unknown>>;
}

const CUSTOM_RESOURCE_EVENT = /* @__PURE__ */ defineOptions<CustomResourceEventOptions>()({
  requestType: oneOf('Create', 'Update', 'Delete').default('Create'),
  responseUrl: string.default(
    'https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/answer?signature=x',
  ),
  physicalId: string,
  properties: object<Readonly<Record<string, unknown>>>(),
  oldProperties: object<Readonly<Record<string, unknown>>>(),
});

/** The properties of a resource as CloudFormation sends them. */
type SentProperties = Record<string, unknown> & { readonly ServiceToken: string };

/** Common members of all custom resource requests of CloudFormation. */
interface ResourceEvent {
  readonly ServiceToken: string;
  readonly ResponseURL: string;
  readonly StackId: string;
  readonly RequestId: string;
  readonly LogicalResourceId: string;
  readonly ResourceType: string;
  readonly ResourceProperties: SentProperties;
}

/** A request of CloudFormation for a custom resource, in the form of its documentation. */
export type CustomResourceEvent =
  | (ResourceEvent & { readonly RequestType: 'Create' })
  | (ResourceEvent & { readonly RequestType: 'Delete'; readonly PhysicalResourceId: string })
  | (ResourceEvent & {
      readonly RequestType: 'Update';
      readonly PhysicalResourceId: string;
      readonly OldResourceProperties: SentProperties;
    });

/**
 * Builds a request of CloudFormation for a custom resource.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requesttypes.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildCustomResourceEvent(options: CustomResourceEventOptions = {}): CustomResourceEvent {
  const { requestType, responseUrl, properties, oldProperties, physicalId } = CUSTOM_RESOURCE_EVENT.parse(options);
  const ServiceToken = 'arn:aws:lambda:us-east-1:123456789012:function:resource';
  const common = {
    ServiceToken,
    ResponseURL: responseUrl,
    StackId: 'arn:aws:cloudformation:us-east-1:123456789012:stack/notes/00000000-0000-0000-0000-000000000000',
    RequestId: 'request-1',
    LogicalResourceId: 'Resource',
    ResourceType: 'Custom::Resource',
    ResourceProperties: { ServiceToken, ...properties },
  };
  if (requestType === 'Create') return { RequestType: requestType, ...common };
  const existing = { ...common, PhysicalResourceId: physicalId ?? 'resource-1' };
  if (requestType === 'Delete') return { RequestType: requestType, ...existing };
  return { RequestType: requestType, ...existing, OldResourceProperties: { ServiceToken, ...oldProperties } };
}

const STACK = 'arn:aws:cloudformation:us-east-1:123456789012:stack/notes/00000000-0000-0000-0000-000000000000';

/** Custom resources in the catalogue. @internal */
export const CUSTOM_RESOURCE = /* @__PURE__ */ describeTrigger(CUSTOM_RESOURCE_TRIGGER, {
  sample: {
    build: buildCustomResourceEvent,
    events: [
      [buildCustomResourceEvent(), `${STACK}|request-1`],
      [buildCustomResourceEvent({ requestType: 'Update' }), `${STACK}|request-1`],
      [buildCustomResourceEvent({ requestType: 'Delete' }), `${STACK}|request-1`],
    ],
    names: [''],
    register: (handlers, options: CustomResourceOptions = { cdkProvider: true }) => {
      const run = only(handlers);
      return customResource({ create: run, update: run, delete: run }, options);
    },
  },
  docs: {
    section: 'Custom resources',
    rows: [
      [
        '`customResource({ create, update, delete }, options)`; `CustomResource`, `CustomResourceOptions`, `ResourceHandler`, `ResourceHandlers`, `ResourceRequest`, `ResourceResult`',
        'custom resources of CloudFormation',
      ],
    ],
  },
  construct: 'customResource',
  simulate: 'customResource',
  aws: {
    author: 'CloudFormation; the template wrote the properties',
    failure: 'Lambda retries twice, and CloudFormation waits for the PUT',
    limit: '4,096 bytes, in the PUT',
    attached: 'the template',
  },
  hint: ['event-bus', 'a custom resource request', 'ResponseURL'],
  sizes: { factory: 'customResource', gzipBytes: 12_800 },
});
