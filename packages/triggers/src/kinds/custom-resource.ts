import type { LambdaContext, MaybePromise, TriggerRecord } from '@sallyport/core';
import { type Members, membersOf, stringOf } from '@sallyport/core/internal';
import { boolean, defineOptions, func, list, string } from '@sallyport/core/options';
import { attempt, type Delivered, type EventContext } from '@sallyport/streams/delivery';
import { invalidAnswer, triggersError } from '../errors.js';
import { readFailure, toJson } from '../internal/answer.js';
import { assertHandler } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { putResponse, type ResponseFetch } from '../internal/put-response.js';
import { requiredText, sourceOf } from '../internal/read.js';
import { defineTrigger, TriggerSurface } from '../internal/surface.js';

export type { ResponseFetch } from '../internal/put-response.js';

/** A stack's request: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requests.html. */
export interface ResourceRequest {
  /** The properties of the resource in the template, without `ServiceToken`. CloudFormation sends scalars as strings. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** The properties before an update; absent otherwise. */
  readonly oldProperties?: Readonly<Record<string, unknown>>;
  /** The id of the resource; absent in a request to create it. */
  readonly physicalId?: string;
  /** The name of the resource in the template. */
  readonly logicalId: string;
  /** The type of the resource: `AWS::CloudFormation::CustomResource` or `Custom::…`. */
  readonly resourceType: string;
  /** The ARN of the stack. */
  readonly stackId: string;
  /** The id of this request; equal for Lambda's retries. */
  readonly requestId: string;
}

/** Result of an operation. */
export interface ResourceResult {
  /** At most 1 KB. A new id makes an update a replacement. Default: the old id; for a new resource a generated id. */
  readonly physicalId?: string;
  /** Values for `Fn::GetAtt`. Default: none. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** True if `Fn::GetAtt` shows the values as asterisks. Default `false`. */
  readonly noEcho?: boolean;
}

/** Creates, changes or deletes a resource. If it throws, the operation of the stack fails. */
export type ResourceHandler = (ctx: EventContext, request: ResourceRequest) => MaybePromise<ResourceResult | undefined>;

/** The three operations of a custom resource; each may run more than once. */
export interface ResourceHandlers {
  /** Creates the resource. */
  readonly create: ResourceHandler;
  /** Changes the resource, or creates a replacement and returns its id. */
  readonly update: ResourceHandler;
  /** Deletes it. Must succeed if the resource no longer exists. */
  readonly delete: ResourceHandler;
}

/** Options of `customResource`. An unknown key is rejected. */
export interface CustomResourceOptions {
  /** True if the function is called by the CDK's provider framework, which answers CloudFormation itself. Default `false`. */
  readonly cdkProvider?: boolean;
  /** Hosts that may receive answers over HTTP, in addition to S3 hosts over HTTPS, for example `127.0.0.1:8080`. For tests. Default: none. */
  readonly responseHosts?: readonly string[];
  /** Sends the answer. For tests: `responseFetch` of `@sallyport/testkit`. Default: the platform's `fetch`. */
  readonly fetch?: ResponseFetch;
}

/** Validators and defaults for {@link CustomResourceOptions}. @internal */
export const CUSTOM_RESOURCE_OPTIONS = /* @__PURE__ */ defineOptions<CustomResourceOptions>()({
  cdkProvider: boolean.default(false),
  responseHosts: list(string),
  fetch: func<ResponseFetch>(),
});

/** Row, natural key and answer of custom resources of CloudFormation. @internal */
export const CUSTOM_RESOURCE_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'custom-resource',
  anyOf: ['Create', 'Update', 'Delete'].map((value) => [
    { path: 'RequestType', test: 'equals', value },
    { path: 'ResponseURL', test: 'text' },
    { path: 'StackId', test: 'text' },
    { path: 'RequestId', test: 'text' },
    { path: 'LogicalResourceId', test: 'text' },
  ]),
  sample: { RequestType: 'Create', ResponseURL: 'u', StackId: 's', RequestId: 'r', LogicalResourceId: 'l' },
  key: ({ source, id }: Delivered) => keyOf(source.arn, id),
  answer: 'one PUT to ResponseURL',
  // Time to send the answer after the handler's deadline. A function with less than 15 s reserves a third of its time.
  marginMs: 5_000,
});

const OPERATIONS: Readonly<Record<string, keyof ResourceHandlers>> = {
  Create: 'create',
  Update: 'update',
  Delete: 'delete',
};

/** Prefix of the id of a resource that was never created. */
const FAILED_CREATE = 'sallyport-failed-create-';

/** Content of the answer to CloudFormation. */
interface Answer {
  readonly Status: 'SUCCESS' | 'FAILED';
  readonly Reason?: string;
  readonly PhysicalResourceId: string;
  readonly NoEcho?: boolean;
  readonly Data?: unknown;
}

/** The operations of a custom resource of CloudFormation. */
export class CustomResource extends TriggerSurface {
  readonly #handlers: ResourceHandlers;
  readonly #cdkProvider: boolean;
  readonly #responseHosts: readonly string[];
  readonly #fetch: ResponseFetch;

  constructor(handlers: ResourceHandlers, options: CustomResourceOptions = {}) {
    super(CUSTOM_RESOURCE_TRIGGER);
    for (const name of ['create', 'update', 'delete'] as const)
      assertHandler(handlers?.[name], `customResource ${name}`);
    const { cdkProvider, responseHosts = [], fetch: send = fetch } = CUSTOM_RESOURCE_OPTIONS.parse(options);
    this.#handlers = { ...handlers };
    this.#cdkProvider = cdkProvider;
    this.#responseHosts = responseHosts;
    this.#fetch = send;
  }

  /** One record. */
  override triggers(): readonly TriggerRecord[] {
    return [{ kind: this.kind, options: { cdkProvider: this.#cdkProvider } }];
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { RequestType, StackId, RequestId, LogicalResourceId, ResourceType } = membersOf(event);
    const operation = OPERATIONS[stringOf(RequestType)];
    const kind = this.kind;
    if (!operation) throw triggersError('triggers.invalid_event', `${kind} event: RequestType is unknown`);
    const record = toRequest(membersOf(event), requiredText(kind, 'RequestId', RequestId));
    const source = sourceOf(stringOf(LogicalResourceId), requiredText(kind, 'StackId', StackId));
    return [{ handler: this.#handlers[operation], record, id: record.requestId, name: stringOf(ResourceType), source }];
  }

  protected override async answer(
    [item]: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
    event: unknown,
  ): Promise<unknown> {
    const request = item?.record as ResourceRequest;
    const run = () => this.#run(item as Delivered, request, lambdaContext);
    if (this.#cdkProvider) {
      const { Status: _status, ...answer } = await run();
      return answer;
    }
    const answer = await run().catch((error: unknown) => failed(request, error));
    const put = await putResponse(
      membersOf(event).ResponseURL,
      toBody(answer, request),
      this.#responseHosts,
      this.#fetch,
      this.delivery.settings.clock,
    );
    if (!put) throw triggersError('triggers.response_failed', 'CloudFormation could not be told the result');
    return null;
  }

  async #run(item: Delivered, request: ResourceRequest, lambdaContext: LambdaContext | undefined): Promise<Answer> {
    const { physicalId } = request;
    // This Delete follows a failed Create: there is nothing to delete.
    if (item.handler === this.#handlers.delete && physicalId?.startsWith(FAILED_CREATE)) {
      return { Status: 'SUCCESS', PhysicalResourceId: physicalId };
    }
    const handler = async (ctx: EventContext) => toAnswer(await item.handler(ctx, request as never), request);
    const outcome = await attempt(this.delivery, { ...item, handler }, lambdaContext);
    if ('thrown' in outcome) throw outcome.thrown;
    return outcome.value as Answer;
  }
}

/** @throws FrameworkError `triggers.invalid_answer` for a result that CloudFormation would not accept */
function toAnswer(result: unknown, request: ResourceRequest): Answer {
  const { physicalId: own, data, noEcho } = membersOf(result) as ResourceResult;
  const answer: Answer = {
    Status: 'SUCCESS',
    PhysicalResourceId: own ?? request.physicalId ?? `${request.logicalId}-${request.requestId}`,
    ...(noEcho === true && { NoEcho: true }),
    ...(data !== undefined && { Data: toJson('data', data) }),
  };
  const { PhysicalResourceId: id, Data } = answer;
  if (stringOf(id) === '' || Buffer.byteLength(id) > MAX_ID_BYTES)
    throw invalidAnswer('physicalId must be 1 to 1,024 bytes');
  if (Data !== undefined && membersOf(Data) !== Data) throw invalidAnswer('data must be an object');
  if (toBody(answer, request).byteLength > MAX_BODY_BYTES) throw invalidAnswer('the answer is more than 4,096 bytes');
  return answer;
}

function toRequest(event: Members, requestId: string): ResourceRequest {
  const { ServiceToken: _token, ...properties } = membersOf(event.ResourceProperties);
  const { ServiceToken: _oldToken, ...oldProperties } = membersOf(event.OldResourceProperties);
  return {
    properties,
    ...(event.RequestType === 'Update' && { oldProperties }),
    ...(typeof event.PhysicalResourceId === 'string' && { physicalId: event.PhysicalResourceId }),
    logicalId: stringOf(event.LogicalResourceId),
    resourceType: stringOf(event.ResourceType),
    stackId: stringOf(event.StackId),
    requestId,
  };
}

/** CloudFormation shows the message of a FrameworkError; the message of any other error is only logged. */
function failed({ physicalId, requestId }: ResourceRequest, error: unknown): Answer {
  const Reason = readFailure(error)?.message ?? 'the handler failed; see the log of the function';
  return { Status: 'FAILED', Reason, PhysicalResourceId: physicalId ?? `${FAILED_CREATE}${requestId}` };
}

const MAX_BODY_BYTES = 4_096;
const MAX_ID_BYTES = 1_024;

/** The document for CloudFormation, its reason shortened until the document fits: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-responses.html. */
function toBody(answer: Answer, request: ResourceRequest): Uint8Array {
  const { stackId, requestId, logicalId } = request;
  const document = { ...answer, StackId: stackId, RequestId: requestId, LogicalResourceId: logicalId };
  const body = Buffer.from(JSON.stringify(document));
  if (!answer.Reason || body.byteLength <= MAX_BODY_BYTES) return body;
  return toBody({ ...answer, Reason: answer.Reason.slice(0, answer.Reason.length / 2) }, request);
}

/**
 * Makes the surface for a custom resource of CloudFormation. Each request gets one answer, even if the handler throws or the
 * deadline passes. Answers are sent only to S3 hosts over HTTPS; the URL, which is a credential, is never logged.
 *
 * @throws FrameworkError `app.invalid_configuration` for a missing handler or an unknown option
 * @example
 * const zone = customResource({
 *   create: async (ctx, { properties }) => ({ physicalId: await makeZone(properties.name) }),
 *   update: async (ctx, { properties, physicalId }) => renameZone(physicalId, properties.name),
 *   delete: async (ctx, { physicalId }) => deleteZone(physicalId),
 * });
 * const app = new SecureApp({ principalResolver, surfaces: [zone] });
 */
export function customResource(handlers: ResourceHandlers, options: CustomResourceOptions = {}): CustomResource {
  return new CustomResource(handlers, options);
}
