import type { LambdaContext, MaybePromise } from '@sallyport/core';
import { type Members, membersOf, rejectWithoutEventKey, stringOf } from '@sallyport/core/internal';
import type { Delivered, EventHandler, KeylessEventContext } from '@sallyport/streams/delivery';
import { invalidAnswer, invalidEvent } from '../errors.js';
import { toJson } from '../internal/answer.js';
import { NamedTrigger } from '../internal/handlers.js';
import { recordsOf, requiredText, sourceOf } from '../internal/read.js';
import { respond } from '../internal/respond.js';
import { defineTrigger } from '../internal/surface.js';

/** A Lambda node of a flow: https://docs.aws.amazon.com/bedrock/latest/userguide/flows-nodes.html. */
export interface FlowNode {
  /** The name of the node. */
  readonly node: string;
  /** The inputs of the node by name. A client or a model chose the values. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** ARN of the flow and of its alias. */
  readonly flow: Readonly<Record<string, unknown>>;
}

/** Runs a node. Its result is the output of the node; a throw fails the flow. */
export type FlowNodeHandler = (ctx: KeylessEventContext, node: FlowNode) => MaybePromise<unknown>;

/** Row, natural key and answer of Bedrock flows. @internal */
export const BEDROCK_FLOW_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'bedrock-flow',
  anyOf: [
    [
      { path: 'messageVersion', test: 'text' },
      { path: 'flow', test: 'object' },
      { path: 'node.name', test: 'text' },
      { path: 'node.nodeInputs[0]', test: 'object' },
    ],
  ],
  sample: { messageVersion: '1.0', flow: {}, node: { name: 'n', nodeInputs: [{ name: 'a' }] } },
  // A flow may run a node several times, and an event has no id.
  key: undefined,
  answer: 'output of the node',
});

/** Handlers of the Lambda nodes of Bedrock flows. */
export class BedrockFlow extends NamedTrigger {
  constructor() {
    super(BEDROCK_FLOW_TRIGGER, 'node');
  }

  /**
   * Registers the handler of a node.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated name, or a handler that is not a function
   * @example bedrockFlow().node('price', (ctx, { payload }) => ({ total: priceOf(payload.items) }));
   */
  node(name: string, handler: FlowNodeHandler): this {
    rejectWithoutEventKey(this.kind, handler);
    return this.add(name, handler as EventHandler<never>);
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { flow, node } = membersOf(event);
    const { name: nodeName, nodeInputs } = membersOf(node);
    const name = requiredText(this.kind, 'node.name', nodeName);
    const values = new Map<string, unknown>();
    for (const [index, input] of recordsOf(this.kind, 'node.nodeInputs', nodeInputs).entries()) {
      const key = requiredText(this.kind, `node.nodeInputs[${index}].name`, input.name);
      if (values.has(key)) throw invalidEvent(this.kind, `node.nodeInputs[${index}].name is not unique`);
      values.set(key, input.value);
    }
    const parts: Members = membersOf(flow);
    const record: FlowNode = { node: name, payload: Object.fromEntries(values), flow: parts };
    const arn = stringOf(parts.flowArn);
    return [{ ...this.handlerOf(name, name), record, id: '', source: sourceOf(arn.split('/').at(-1) ?? '', arn) }];
  }

  protected override answer([item]: readonly Delivered[], lambdaContext: LambdaContext | undefined): Promise<unknown> {
    return respond(this.delivery, item as Delivered, lambdaContext, (result) => {
      if (result === undefined) throw invalidAnswer('must be the output of the node, not undefined');
      return toJson('the output', result);
    });
  }
}

/**
 * Makes the surface for Lambda nodes of Bedrock flows. The result of a handler is the output of its node.
 *
 * @example
 * const flow = bedrockFlow().node('price', (ctx, { payload }) => ({ total: priceOf(payload.items) }));
 * const app = new SecureApp({ principalResolver, surfaces: [flow] });
 */
export function bedrockFlow(): BedrockFlow {
  return new BedrockFlow();
}
