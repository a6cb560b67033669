import { FrameworkError, type TriggerKind } from '@sallyport/core';
import { defineOptions, group, integer, kind, list, oneOf, string, text } from '@sallyport/core/options';
import { detect } from '@sallyport/dispatch';
import type { AppSyncBatch, AppSyncEvent } from '../builders/appsync.js';
import type { EventBusEvent } from '../builders/event-bus.js';
import type { GatewayProxyEvent } from '../builders/gateway-proxy.js';
import type { FunctionUrlEvent, GatewayV2Event } from '../builders/gateway-v2.js';
import type { KinesisEvent } from '../builders/kinesis.js';
import type { LoadBalancerEvent } from '../builders/load-balancer.js';
import type { QueueEvent } from '../builders/queue.js';
import type { TableStreamEvent } from '../builders/table-stream.js';
import type { TopicEvent } from '../builders/topic.js';
import type { WebSocketEvent } from '../builders/websocket.js';
import type { TestKitErrorCode } from '../errors.js';
import { anything } from '../internal/kinds.js';

/** Value of `schema` in recordings. */
export const RECORDING_SCHEMA = 'framework.recorded-event/v1';

/** A sanitized event with the data for a replay. Its JSON has these names. */
export interface Recording {
  /** The format of this object: `framework.recorded-event/v1`. */
  readonly schema: typeof RECORDING_SCHEMA;
  /** The kind of event by the detection table. */
  readonly kind: TriggerKind;
  /** Time of the recording, ISO 8601. */
  readonly recorded_at: string;
  /** The event, sanitized. */
  readonly event: unknown;
  /** Data about the invocation. */
  readonly lambda: {
    /** Remaining milliseconds of the invocation. */
    readonly remaining_ms: number;
    /** A replacement for the tenant; `''` for no tenant. */
    readonly tenant: string;
  };
  /** Paths of the replaced values, such as `$.headers.authorization`. */
  readonly redactions: readonly string[];
}

/** The events of the builders, by their kinds. */
export interface RecordedEvents {
  /** A request to an HTTP API. */
  readonly 'gateway-v2': GatewayV2Event;
  /** A request to a function URL. */
  readonly 'function-url': FunctionUrlEvent;
  /** A request to a REST API. */
  readonly 'gateway-v1': GatewayProxyEvent;
  /** A request to a load balancer. */
  readonly 'load-balancer': LoadBalancerEvent;
  /** A connection event or message of a WebSocket API. */
  readonly websocket: WebSocketEvent;
  /** A resolver event, or a batch of them. */
  readonly appsync: AppSyncEvent | AppSyncBatch;
  /** A batch of queue messages. */
  readonly queue: QueueEvent;
  /** A batch of changes of a table. */
  readonly 'table-stream': TableStreamEvent;
  /** A batch of data stream records. */
  readonly stream: KinesisEvent;
  /** Notifications of a topic. */
  readonly topic: TopicEvent;
  /** An event of an event bus or a schedule. */
  readonly 'event-bus': EventBusEvent;
}

const RECORDING = defineOptions<Recording>()(
  {
    schema: oneOf(RECORDING_SCHEMA).required(),
    kind: kind<TriggerKind>('a kind of event', (value) => typeof value === 'string' && value !== '').required(),
    recorded_at: text().required(),
    event: anything,
    lambda: group<Recording['lambda']>()({ remaining_ms: integer(0).required(), tenant: string.required() }).required(),
    redactions: list(string).required(),
  },
  { fail: (problem) => invalidRecording(`framework: the recording is not valid: ${problem}`) },
);

/**
 * Reads a recording and returns its event, for `env.invoke`.
 *
 * @param json the recording: its JSON, as a string or parsed
 * @param expected the kind that the test expects; the type of the event follows from it
 * @throws FrameworkError `testkit.invalid_recording` for a string that is not JSON, another form, an event that is not of the
 *   recorded kind, or a recording of another kind than `expected`
 * @example const event = loadRecording(readFileSync('test/recordings/order.json', 'utf8'), 'queue');
 */
export function loadRecording<K extends keyof RecordedEvents>(json: unknown, expected: K): RecordedEvents[K] {
  const recording = RECORDING.parse((typeof json === 'string' ? parse(json) : json) as Recording);
  if (recording.kind !== expected) throw otherKind('the recording is', recording.kind, expected);
  const found = tryDetect(recording.event);
  if (found !== expected) throw otherKind('the recorded event is', found, expected);
  return recording.event as RecordedEvents[K];
}

/** The kind of an event; `''` when no row matches. */
export function tryDetect(event: unknown): TriggerKind | '' {
  try {
    return detect(event);
  } catch {
    return '';
  }
}

function parse(json: string): object {
  try {
    return JSON.parse(json) as object;
  } catch {
    throw invalidRecording('framework: the recording is not JSON');
  }
}

function otherKind(what: string, found: string, expected: string): FrameworkError {
  return invalidRecording(`framework: ${what} of kind ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
}

function invalidRecording(message: string): FrameworkError {
  const code: TestKitErrorCode = 'testkit.invalid_recording';
  return new FrameworkError(code, message);
}
