import type {
  Invocation,
  LambdaContext,
  MaybePromise,
  SecurePrincipal,
  SurfaceHost,
  TriggerKind,
  TriggerRecord,
} from '@sallyport/core';
import {
  copyPrincipal,
  createDoorGuard,
  type DoorGuard,
  membersOf,
  parseLog,
  rejectWithoutEventKey,
  stringOf,
} from '@sallyport/core/internal';
import {
  attempt,
  type Delivered,
  type EventContext,
  type EventHandler,
  type KeylessEventContext,
  type Outcome,
  settle,
  warnOf,
} from '@sallyport/streams/delivery';
import { invalidAnswer, refused } from '../errors.js';
import { fitting, publicText, toJson } from '../internal/answer.js';
import { type ChannelEntry, ChannelHandlers } from '../internal/channels.js';
import { DROPPED, type Drop } from '../internal/drop.js';
import { passGate } from '../internal/gate.js';
import { recordsOf, requiredText } from '../internal/read.js';
import { defineTrigger, TriggerSurface } from '../internal/surface.js';

/** An event that a client publishes: https://docs.aws.amazon.com/appsync/latest/eventapi/direct-lambda-integrations.html. */
export interface PublishedEvent {
  /** Its id in the answer. */
  readonly id: string;
  /** The published payload. */
  readonly payload: unknown;
  /** The path of the channel: `/news/sport`. */
  readonly channel: string;
  /** The publisher's principal from the gate of `SecureApp`; `null` for an anonymous caller. */
  readonly principal: SecurePrincipal | null;
}

/** A client's request to subscribe. */
export interface Subscription {
  /** The path of the channel, which may end in `/*`. */
  readonly channel: string;
  /** The subscriber's principal from the gate of `SecureApp`; `null` for an anonymous caller. */
  readonly principal: SecurePrincipal | null;
}

/** Handles one published event: returns the payload to broadcast instead, or `drop()`. A throw rejects only this event. */
export type PublishHandler = (ctx: KeylessEventContext, event: PublishedEvent) => MaybePromise<unknown>;

/** Authorizes a subscription: returns `undefined` to allow it. A throw, and any other result, rejects it. */
export type SubscribeHandler = (ctx: KeylessEventContext, subscription: Subscription) => MaybePromise<undefined>;

/** One event of the answer to a publication. */
export type PublishResult =
  | { readonly id: string; readonly payload: unknown }
  | { readonly id: string; readonly error: string };

/** Row, natural key and answer of channels of AppSync Events. @internal */
export const APPSYNC_EVENTS_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'appsync-events',
  anyOf: ['PUBLISH', 'SUBSCRIBE'].map((value) => [
    { path: 'info.channel.path', test: 'text' },
    { path: 'info.channelNamespace.name', test: 'text' },
    { path: 'info.operation', test: 'equals', value },
  ]),
  sample: { info: { channel: { path: '/a' }, channelNamespace: { name: 'a' }, operation: 'PUBLISH' }, events: [] },
  // The client chooses the id of an event, and it is unique only within one publication.
  key: undefined,
  answer: '{ events }, or null or { error }',
});

const FORBIDDEN = 'forbidden';

/** Handlers of channels of AppSync Events. */
export class AppSyncEvents extends TriggerSurface {
  readonly #publish = new ChannelHandlers('PUBLISH');
  readonly #subscribe = new ChannelHandlers('SUBSCRIBE');
  #host: SurfaceHost | undefined;
  /** An Event API is a front door: its events contain the publisher's identity. */
  #doors: DoorGuard | undefined;

  /** @throws FrameworkError `app.invalid_configuration` for a malformed variable `FRAMEWORK_DOORS` */
  constructor() {
    super(APPSYNC_EVENTS_TRIGGER);
    this.#doors = createDoorGuard(undefined, process.env, parseLog(undefined, process.env));
  }

  override async serve(kind: TriggerKind, event: unknown, invocation: Invocation): Promise<unknown> {
    this.#doors?.assert(kind, event, invocation.lambdaContext);
    return super.serve(kind, event, invocation);
  }

  /**
   * Registers the handler of events that are published to a channel. It is called for each event, one at a time.
   *
   * @param pattern the path of a channel, or `/news/*` for all channels under `/news`; the longest matching pattern applies
   * @param posture access rule for publishers: required in `SecureApp`, not supported elsewhere
   * @throws FrameworkError `app.invalid_configuration` for an invalid or repeated pattern, or a handler that is not a function
   * @example appSyncEvents().publish('/news/*', (ctx, { payload }) => clean(payload), Authenticated('news:write'));
   */
  publish(pattern: string, handler: PublishHandler, posture?: object): this {
    this.#add(this.#publish, pattern, handler, posture);
    return this;
  }

  /**
   * Registers the handler of subscriptions to a channel.
   *
   * @param pattern as of {@link publish}
   * @param posture access rule for subscribers: required in `SecureApp`, not supported elsewhere
   * @throws FrameworkError `app.invalid_configuration` for an invalid or repeated pattern, or a handler that is not a function
   * @example appSyncEvents().subscribe('/news/*', () => undefined, Authenticated('news:read'));
   */
  subscribe(pattern: string, handler: SubscribeHandler, posture?: object): this {
    this.#add(this.#subscribe, pattern, handler, posture);
    return this;
  }

  #add(handlers: ChannelHandlers, pattern: string, handler: PublishHandler | SubscribeHandler, posture: unknown): void {
    rejectWithoutEventKey(this.kind, handler);
    const entry = handlers.parse(pattern, handler as EventHandler<never>, posture);
    if (this.#host) handlers.assertPosture(entry, this.#host);
    handlers.add(entry);
  }

  /**
   * Called by the container that the surface is passed to.
   *
   * @throws FrameworkError `framework: invalid auth posture` for a registration without posture in `SecureApp`, or with a posture elsewhere
   */
  override attach(host: SurfaceHost): void {
    for (const handlers of [this.#publish, this.#subscribe]) {
      for (const entry of handlers.entries) handlers.assertPosture(entry, host);
    }
    this.#host = host;
    this.#doors = host.doors;
    super.attach(host);
  }

  /** Operations and patterns, in order. */
  override triggers(): readonly TriggerRecord[] {
    return [this.#publish, this.#subscribe].flatMap(({ operation, entries }) =>
      entries.map(({ pattern }) => ({ kind: this.kind, name: pattern, options: { operation } })),
    );
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { info, events } = membersOf(event);
    const { channel: channelPart, channelNamespace, operation } = membersOf(info);
    const channel = requiredText(this.kind, 'info.channel.path', membersOf(channelPart).path);
    const isPublish = operation === 'PUBLISH';
    const entry = (isPublish ? this.#publish : this.#subscribe).find(channel);
    if (entry?.posture !== undefined && !this.#host?.gate) throw refused('postures need SecureApp');
    const source = { name: stringOf(membersOf(channelNamespace).name), arn: '', account: '', region: '' };
    const shared = { handler: entry?.handler ?? REFUSE, name: entry?.pattern ?? '', source };
    if (!isPublish) return [{ ...shared, id: '', record: { channel, principal: null } }];
    return recordsOf(this.kind, 'events', events).map(({ id: idPart, payload }, index) => {
      const id = requiredText(this.kind, `events[${index}].id`, idPart);
      return { ...shared, id, record: { id, payload, channel, principal: null } };
    });
  }

  protected override async answer(
    items: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
    event: unknown,
  ): Promise<{ events: PublishResult[] } | { error: string } | null> {
    const { info } = membersOf(event);
    const isPublish = membersOf(info).operation === 'PUBLISH';
    const pattern = items[0]?.name ?? '';
    const entry = (isPublish ? this.#publish : this.#subscribe).entries.find((one) => one.pattern === pattern);
    const passed = entry ? await this.#pass(entry, event, lambdaContext) : FORBIDDEN;
    if (typeof passed === 'string') {
      return isPublish ? { events: items.map(({ id }) => ({ id, error: passed })) } : { error: passed };
    }
    const { principal } = passed;
    const known = items.map((item) => ({
      ...item,
      record: { ...(item.record as object), principal: principal && copyPrincipal(principal) },
    }));
    return isPublish ? this.#broadcast(known, lambdaContext) : this.#decide(known[0] as Delivered, lambdaContext);
  }

  /** The caller, or the message with which the gate rejects. The gate runs once for any number of events. */
  async #pass({ posture, pattern }: ChannelEntry, event: unknown, lambdaContext: LambdaContext | undefined) {
    const { info, request } = membersOf(event);
    const passed = await passGate(this.#host, this.delivery, posture, {
      ...{ kind: this.kind, event, lambdaContext },
      path: String(membersOf(membersOf(info).channel).path),
      // The principal resolver receives only the headers of the request, not the payload.
      headers: membersOf(membersOf(request).headers),
      route: { surface: 'appsync', method: 'POST', pattern },
    });
    return 'thrown' in passed ? publicText(passed.thrown) : passed;
  }

  async #broadcast(items: readonly Delivered[], lambdaContext: LambdaContext | undefined) {
    const checked = items.map((item) => ({
      ...item,
      handler: async (ctx: EventContext, record: never) => toPayload(await item.handler(ctx, record)),
    }));
    const outcomes = await settle(this.delivery, checked, lambdaContext);
    const results = items.flatMap(({ id }, index) => toPublishResult(id, outcomes[index]));
    const events = fitting(results, ({ id }): PublishResult => ({ id, error: 'too large' }));
    const failed = events.filter((event, index) => event !== results[index]).length;
    if (failed > 0) warnOf(this.delivery, 'triggers.answer_too_large', { records: items.length, failed });
    return { events };
  }

  async #decide(item: Delivered, lambdaContext: LambdaContext | undefined): Promise<{ error: string } | null> {
    const handler = async (ctx: EventContext, record: never) => {
      const result = await item.handler(ctx, record);
      if (result !== undefined) throw invalidAnswer('return undefined to allow a subscription');
    };
    const outcome = await attempt(this.delivery, { ...item, handler }, lambdaContext);
    return 'thrown' in outcome ? { error: publicText(outcome.thrown) } : null;
  }
}

/** Placeholder for a missing registration; it is never called. */
const REFUSE: EventHandler<never> = () => undefined;

/** @throws FrameworkError `triggers.invalid_answer` for `undefined`, and for a value that JSON cannot write */
function toPayload(result: unknown): unknown {
  if (result === undefined) throw invalidAnswer('must be a payload or drop(), not undefined');
  return result === DROPPED ? result : toJson('the payload', result);
}

function toPublishResult(id: string, outcome: Outcome | undefined): PublishResult[] {
  if (!outcome) return [{ id, error: 'not tried' }];
  if ('thrown' in outcome) return [{ id, error: publicText(outcome.thrown) }];
  return (outcome.value as Drop) === DROPPED ? [] : [{ id, payload: outcome.value }];
}

/**
 * Makes the surface for channels of AppSync Events whose namespace invokes the function directly and waits for the answer
 * (`REQUEST_RESPONSE`). A channel without handler is rejected.
 *
 * @example
 * const channels = appSyncEvents()
 *   .publish('/news/*', (ctx, { payload }) => payload, Authenticated('news:write'))
 *   .subscribe('/news/*', () => undefined, Authenticated('news:read'));
 * const app = new SecureApp({ principalResolver, surfaces: [channels] });
 */
export function appSyncEvents(): AppSyncEvents {
  return new AppSyncEvents();
}
