import type { LambdaContext, MaybePromise } from '@sallyport/core';
import { type Members, membersOf, rejectWithoutEventKey, stringOf } from '@sallyport/core/internal';
import { defineOptions, oneOf } from '@sallyport/core/options';
import type { Delivered, EventHandler, KeylessEventContext } from '@sallyport/streams/delivery';
import { invalidAnswer } from '../errors.js';
import { toJson } from '../internal/answer.js';
import { assertHandler } from '../internal/handlers.js';
import { requiredText, sourceOf } from '../internal/read.js';
import { respond } from '../internal/respond.js';
import { defineTrigger, TriggerSurface } from '../internal/surface.js';

/** A contact in a flow: https://docs.aws.amazon.com/connect/latest/adminguide/connect-lambda-functions.html. */
export interface ConnectContact {
  /** The id of the contact. */
  readonly contactId: string;
  /** `VOICE`, `CHAT`, `TASK` or `EMAIL`. */
  readonly channel: string;
  /** The ARN of the instance. */
  readonly instanceArn: string;
  /** Parameters of the block in the flow. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Attributes of the contact. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The member `Details.ContactData` of the event. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Handles a contact. Its result is the external data of the flow; a throw leads to the branch `Error`. */
export type ConnectHandler = (ctx: KeylessEventContext, contact: ConnectContact) => MaybePromise<object | undefined>;

/** Options of `connectFlow`. An unknown key is rejected. */
export interface ConnectFlowOptions {
  /** The response validation of the block in the flow: a flat object of strings, or any object. Default `STRING_MAP`. */
  readonly response?: 'STRING_MAP' | 'JSON';
}

/** Validators and defaults for {@link ConnectFlowOptions}. @internal */
export const CONNECT_FLOW_OPTIONS = /* @__PURE__ */ defineOptions<ConnectFlowOptions>()({
  response: oneOf('STRING_MAP', 'JSON').default('STRING_MAP'),
});

/** Row, natural key and answer of flows of Connect. @internal */
export const CONNECT_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'connect',
  anyOf: [
    [
      { path: 'Name', test: 'equals', value: 'ContactFlowEvent' },
      { path: 'Details.ContactData', test: 'object' },
    ],
  ],
  sample: { Name: 'ContactFlowEvent', Details: { ContactData: {} } },
  // A flow invokes the function several times for one contact, and an event has no id.
  key: undefined,
  answer: 'a flat object, or JSON',
});

/** The answer may have 32 KB: https://docs.aws.amazon.com/connect/latest/adminguide/connect-lambda-functions.html. */
const MAX_ANSWER_BYTES = 32_768;

/** The function of a flow of Connect. */
export class ConnectFlow extends TriggerSurface {
  readonly #handler: ConnectHandler;
  readonly #response: 'STRING_MAP' | 'JSON';

  constructor(handler: ConnectHandler, options: ConnectFlowOptions = {}) {
    super(CONNECT_TRIGGER);
    assertHandler(handler);
    rejectWithoutEventKey(this.kind, handler);
    this.#handler = handler;
    this.#response = CONNECT_FLOW_OPTIONS.parse(options).response;
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { ContactData, Parameters } = membersOf(membersOf(event).Details);
    const data = membersOf(ContactData);
    const instanceArn = stringOf(data.InstanceARN);
    const record: ConnectContact = {
      contactId: requiredText(this.kind, 'Details.ContactData.ContactId', data.ContactId),
      channel: stringOf(data.Channel),
      instanceArn,
      payload: membersOf(Parameters),
      attributes: membersOf(data.Attributes),
      data,
    };
    const source = sourceOf(instanceArn.split('/').at(-1) ?? '', instanceArn);
    return [{ handler: this.#handler as EventHandler<never>, record, id: '', name: '', source }];
  }

  protected override answer([item]: readonly Delivered[], lambdaContext: LambdaContext | undefined): Promise<unknown> {
    return respond(this.delivery, item as Delivered, lambdaContext, (result) => toAnswer(result, this.#response));
  }
}

/** @throws FrameworkError `triggers.invalid_answer` for a result that Connect could not read */
function toAnswer(result: unknown, response: string): Members {
  const given = toJson('the result', result ?? {});
  const answer = membersOf(given);
  if (answer !== given) throw invalidAnswer('must be an object or undefined');
  if (response === 'STRING_MAP' && !Object.values(answer).every((value) => typeof value === 'string')) {
    throw invalidAnswer(
      'must be a flat object of strings; pass { response: "JSON" } if the block of the flow accepts JSON',
    );
  }
  if (Buffer.byteLength(JSON.stringify(answer)) > MAX_ANSWER_BYTES)
    throw invalidAnswer('the answer is more than 32 KB');
  return answer;
}

/**
 * Makes the surface for the block "Invoke AWS Lambda function" of a flow of Connect.
 *
 * @throws FrameworkError `app.invalid_configuration` for a handler that is not a function, or a wrong or unknown option
 * @example
 * const flow = connectFlow(async (ctx, { attributes }) => ({ tier: await tierOf(attributes.customer) }));
 * const app = new SecureApp({ principalResolver, surfaces: [flow] });
 */
export function connectFlow(handler: ConnectHandler, options: ConnectFlowOptions = {}): ConnectFlow {
  return new ConnectFlow(handler, options);
}
