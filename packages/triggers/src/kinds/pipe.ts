import type { LambdaContext, MaybePromise } from '@sallyport/core';
import { isObject, membersOf, stringOf } from '@sallyport/core/internal';
import { type Delivered, type EventContext, mask, settle } from '@sallyport/streams/delivery';
import { invalidAnswer, invalidEvent } from '../errors.js';
import { AliasTrigger } from '../internal/aliases.js';
import { toJson, withinLimit } from '../internal/answer.js';
import { DROPPED, type Drop } from '../internal/drop.js';
import { keyOf } from '../internal/key.js';
import { sourceOf } from '../internal/read.js';
import { defineTrigger } from '../internal/surface.js';

/** A record in a pipe: https://docs.aws.amazon.com/eventbridge/latest/userguide/pipes-enrichment.html. */
export interface PipeRecord {
  /** The record of the source, or the result of the input transformation. A producer wrote parts of it. */
  readonly payload: unknown;
  /** Its place in the batch. */
  readonly index: number;
}

/** Enriches one record: returns the record for the target, or `drop()`. A throw fails the batch. */
export type PipeHandler = (ctx: EventContext, record: PipeRecord) => MaybePromise<unknown>;

/** Natural key and answer of EventBridge Pipes. The source and the input transformation determine the shape of an event. @internal */
export const PIPE_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'pipe',
  // A producer writes the records: the alias of the invocation selects the handler.
  anyOf: [],
  sample: {},
  key: ({ source, id }: Delivered) => keyOf(source.name, source.arn, id),
  answer: 'list of records',
});

const MAX_RECORDS = 10_000;

/** Handlers of enrichments of EventBridge Pipes. */
export class PipeTrigger extends AliasTrigger {
  constructor() {
    super(PIPE_TRIGGER);
  }

  /**
   * Registers the handler of a pipe. Register before the container is created.
   *
   * @param alias the alias of the function in the enrichment of the pipe, which only this service invokes
   * @throws FrameworkError `app.invalid_configuration` for a name that is not an alias or is repeated, or a handler that is not a function
   * @example pipe().enrich('orders', async (ctx, { payload }) => ({ ...(await orderOf(payload)) }));
   */
  enrich(alias: string, handler: PipeHandler): this {
    return this.add(alias, handler);
  }

  protected override read(event: unknown, lambdaContext?: LambdaContext): readonly Delivered[] {
    const { name, handler } = this.entryOf(lambdaContext);
    if (!Array.isArray(event)) throw invalidEvent(this.kind, 'the batch must be a list');
    if (event.length > MAX_RECORDS) throw invalidEvent(this.kind, `the batch has more than ${MAX_RECORDS} entries`);
    return event.map((payload: unknown, index) => {
      const { messageId, eventID, eventSourceARN } = isObject(payload) ? membersOf(payload) : {};
      const id = stringOf(messageId) || stringOf(eventID);
      const record: PipeRecord = { payload, index };
      return { name, handler, record, id, source: { ...sourceOf(name, eventSourceARN), name } };
    });
  }

  protected override async answer(
    items: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
  ): Promise<unknown[]> {
    const checked = items.map((item) => ({
      ...item,
      handler: async (ctx: EventContext, record: never) => toRecord(await item.handler(ctx, record)),
    }));
    // One group: after a failure no further record runs, because the pipe retries the batch.
    const outcomes = await settle(this.delivery, checked, lambdaContext, () => '');
    const failed = outcomes.find((outcome) => outcome && 'thrown' in outcome);
    if (failed && 'thrown' in failed) throw mask(this.delivery, failed.thrown);
    const records = outcomes.flatMap((outcome) => {
      if (!outcome || !('value' in outcome)) throw invalidAnswer('the deadline has passed before the last record');
      return (outcome.value as Drop) === DROPPED ? [] : [outcome.value];
    });
    return withinLimit(records);
  }
}

/** @throws FrameworkError `triggers.invalid_answer` for `undefined`, and for a value that JSON cannot write */
function toRecord(result: unknown): unknown {
  if (result === undefined) throw invalidAnswer('must be a record or drop(), not undefined');
  return result === DROPPED ? result : toJson('the record', result);
}

/**
 * Makes the surface for enrichments of EventBridge Pipes: a list of records in, a list of records out. A producer wrote the records, so the
 * alias selects the handler, and no event of this alias reaches another trigger.
 *
 * @example
 * const orders = pipe().enrich('orders', (ctx, { payload }) => (isOpen(payload) ? { ...payload, price: priceOf(payload) } : drop()));
 * const app = new SecureApp({ principalResolver, surfaces: [orders] });
 */
export function pipe(): PipeTrigger {
  return new PipeTrigger();
}
