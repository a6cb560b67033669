import { boolean, defineOptions, list, object, string } from '@sallyport/core/options';
import { tumblingWindow, WINDOW_TRIGGER } from '../kinds/window.js';
import { describeTrigger } from './entry.js';
import { toBase64 } from './internal/build.js';

/** Options of {@link buildWindowEvent}. */
export interface WindowEventOptions {
  /** The data of each record; `[]` for the last invocation of a window without records. Default: none. */
  readonly data?: readonly string[];
  /** The state. Default: an empty object, the start of a window. */
  readonly state?: Readonly<Record<string, unknown>>;
  /** True for the last invocation of the window. Default `false`. */
  readonly final?: boolean;
}

const WINDOW_EVENT = /* @__PURE__ */ defineOptions<WindowEventOptions>()({
  data: list(string),
  state: object<Readonly<Record<string, unknown>>>(),
  final: boolean.default(false),
});

/** A batch of a data stream with a tumbling window, in the form of its documentation. */
export interface WindowEvent {
  /** The records. */
  readonly Records: {
    readonly kinesis: {
      readonly kinesisSchemaVersion: string;
      readonly partitionKey: string;
      readonly sequenceNumber: string;
      readonly data: string;
      readonly approximateArrivalTimestamp: number;
    };
    readonly eventSource: string;
    readonly eventVersion: string;
    readonly eventID: string;
    readonly eventName: string;
    readonly invokeIdentityArn: string;
    readonly awsRegion: string;
    readonly eventSourceARN: string;
  }[];
  /** The window. */
  readonly window: { readonly start: string; readonly end: string };
  /** The state of the previous batch. */
  readonly state: Record<string, unknown>;
  /** The shard. */
  readonly shardId: string;
  /** The stream. */
  readonly eventSourceARN: string;
  /** True for the last invocation of the window. */
  readonly isFinalInvokeForWindow: boolean;
  /** True if the window ended early. */
  readonly isWindowTerminatedEarly: boolean;
}

/**
 * Builds a batch of a data stream whose mapping has a tumbling window.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-windows.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildWindowEvent('clicks', { data: ['{}'], state: { count: 1 } });
 */
export function buildWindowEvent(stream: string, options: WindowEventOptions = {}): WindowEvent {
  const { data = [], state = {}, final } = WINDOW_EVENT.parse(options);
  const arn = `arn:aws:kinesis:us-east-1:123456789012:stream/${stream}`;
  const shardId = 'shardId-000000000000';
  return {
    Records: data.map((text, index) => ({
      kinesis: {
        kinesisSchemaVersion: '1.0',
        partitionKey: 'key-1',
        sequenceNumber: String(index + 1),
        data: toBase64(text),
        approximateArrivalTimestamp: 1,
      },
      eventSource: 'aws:kinesis',
      eventVersion: '1.0',
      eventID: `${shardId}:${index + 1}`,
      eventName: 'aws:kinesis:record',
      invokeIdentityArn: 'arn:aws:iam::123456789012:role/clicks',
      awsRegion: 'us-east-1',
      eventSourceARN: arn,
    })),
    window: { start: '1970-01-01T00:00:00Z', end: '1970-01-01T00:02:00Z' },
    state: { ...state },
    shardId,
    eventSourceARN: arn,
    isFinalInvokeForWindow: final,
    isWindowTerminatedEarly: false,
  };
}

const CLICKS = 'arn:aws:kinesis:us-east-1:123456789012:stream/clicks';

/** Streams with tumbling windows in the catalogue. @internal */
export const WINDOW = /* @__PURE__ */ describeTrigger(WINDOW_TRIGGER, {
  sample: {
    build: buildWindowEvent,
    events: [[buildWindowEvent('clicks', { final: true }), `${CLICKS}|shardId-000000000000/1970-01-01T00:02:00Z`]],
    names: ['clicks'],
    result: { count: 1 },
    register: (handlers) =>
      handlers.reduce((trigger, [name, handler]) => {
        const add = (_ctx: unknown, { count = 0 }: { count?: number }) => ({ count: count + 1 });
        return trigger.stream(name, { initial: () => ({}) as { count?: number }, add, final: handler });
      }, tumblingWindow()),
  },
  docs: {
    section: 'Tumbling windows',
    rows: [
      [
        '`tumblingWindow()` with `stream(name, { initial, add, final })` and `tableStream(name, { initial, add, final })`; `WindowTrigger`, `WindowHandlers`, `TumblingWindow`, `WindowAnswer`',
        'data streams and table streams with tumbling windows',
      ],
    ],
  },
  construct: null,
  simulate: 'window',
  aws: {
    author: 'Lambda; a producer wrote the data',
    failure: 'Lambda retries the batch with the same state',
    limit:
      '[1 MB of state](https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-windows.html), then the window ends early',
    attached: 'the event source mapping',
  },
  sizes: { factory: 'tumblingWindow', gzipBytes: 11_500 },
});
