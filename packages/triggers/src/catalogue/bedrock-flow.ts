import { defineOptions, object } from '@sallyport/core/options';
import { BEDROCK_FLOW_TRIGGER, bedrockFlow } from '../kinds/bedrock-flow.js';
import { describeTrigger } from './entry.js';

/** Options of {@link buildBedrockFlowEvent}. */
export interface BedrockFlowEventOptions {
  /** The inputs of the node by name. Default: `codeHookInput` with the value `hello`. */
  readonly inputs?: Readonly<Record<string, unknown>>;
}

const BEDROCK_FLOW_EVENT = /* @__PURE__ */ defineOptions<BedrockFlowEventOptions>()({
  inputs: object<Readonly<Record<string, unknown>>>(),
});

/** A Lambda node of a flow, in the form of its documentation. */
export interface BedrockFlowEvent {
  /** `1.0`. */
  readonly messageVersion: string;
  /** The flow. */
  readonly flow: { readonly flowArn: string; readonly flowAliasArn: string };
  /** The node. */
  readonly node: {
    readonly name: string;
    readonly nodeInputs: {
      readonly name: string;
      readonly expression: string;
      readonly value: unknown;
      readonly type: string;
    }[];
  };
}

/**
 * Builds the event of a Lambda node of a Bedrock flow.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/flows-nodes.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildBedrockFlowEvent('price', { inputs: { items: ['pen'] } });
 */
export function buildBedrockFlowEvent(node: string, options: BedrockFlowEventOptions = {}): BedrockFlowEvent {
  const { inputs = { codeHookInput: 'hello' } } = BEDROCK_FLOW_EVENT.parse(options);
  const flowArn = 'arn:aws:bedrock:us-east-1:123456789012:flow/FLOW1';
  return {
    messageVersion: '1.0',
    flow: { flowArn, flowAliasArn: `${flowArn}/alias/ALIAS1` },
    node: {
      name: node,
      nodeInputs: Object.entries(inputs).map(([name, value]) => {
        const type = typeof value === 'string' ? 'STRING' : Array.isArray(value) ? 'ARRAY' : 'OBJECT';
        return { name, expression: '$.data', value, type };
      }),
    },
  };
}

/** Nodes of Bedrock flows in the catalogue. @internal */
export const BEDROCK_FLOW = /* @__PURE__ */ describeTrigger(BEDROCK_FLOW_TRIGGER, {
  sample: {
    build: buildBedrockFlowEvent,
    events: [[buildBedrockFlowEvent('price'), undefined]],
    names: ['price'],
    result: 'output',
    register: (handlers) => handlers.reduce((flow, one) => flow.node(...one), bedrockFlow()),
  },
  docs: {
    section: 'Bedrock flows',
    rows: [
      [
        '`bedrockFlow()` with `node(name, handler)`; `BedrockFlow`, `FlowNodeHandler`, `FlowNode`',
        'Lambda nodes of Bedrock flows',
      ],
    ],
  },
  construct: null,
  simulate: null,
  aws: {
    author: 'Bedrock; a client or a model chose the values of inputs',
    failure: 'the flow fails',
    limit: '6 MB',
    attached: 'a node of the flow',
  },
  sizes: { factory: 'bedrockFlow', gzipBytes: 11_600 },
});
