import { FrameworkError } from '@sallyport/core';
import { defineOptions, integer, kind, list, number, object, oneOf, string, text } from '@sallyport/core/options';
import type { SendRequest } from '../send/send.js';
import { SOURCE_TYPES } from '../sources/source-types.js';
import type {
  ExecutionAction,
  OpenRequest,
  ReplayRequest,
  RevealEarlierRequest,
  RevealItemRequest,
  RevealRequest,
  SourceActionRequest,
  TokenRequest,
} from './api.js';

/** Parsers for the bodies of calls. Each parser throws FrameworkError `local.invalid_request`. */
const fail = (problem: string) =>
  new FrameworkError('local.invalid_request', `framework: ${problem.replace('option', 'member')}`);
const anything = kind<unknown>('any value', () => true);
const OPEN = defineOptions<OpenRequest>()(
  { file: text().required(), line: integer(1).required(), column: integer(1).required() },
  { fail },
);
const data = object<Readonly<Record<string, unknown>>>();

const SEND = defineOptions<SendRequest>()(
  {
    kind: text().required(),
    target: string,
    doors: list(text()),
    options: anything,
    as: data as never,
    alias: kind<string>('the name of an alias', (value) => typeof value === 'string' && /^[\w-]{1,128}$/.test(value)),
    caller: data as never,
    from: integer(1),
  },
  { fail },
);

const TOKEN = defineOptions<TokenRequest>()(
  { sub: text().required(), scopes: list(text()), tenant: string, kind: string },
  { fail },
);

const SOURCE_ACTION = defineOptions<SourceActionRequest>()(
  {
    kind: oneOf(...SOURCE_TYPES.map((type) => type.kind)).required(),
    name: string.required(),
    action: oneOf('now', 'send-back', 'delete', 'fire').required(),
    recordId: text(),
    function: text(),
  },
  { fail },
);

const REPLAY = defineOptions<ReplayRequest>()({ id: integer(1), file: text(), recording: anything }, { fail });
const SPEED = defineOptions<{ readonly speed: number }>()({ speed: number(0.1, 1_000_000).required() }, { fail });
const SAVE = defineOptions<{ readonly id: number; readonly as: 'recording' | 'fixture' }>()(
  { id: integer(1).required(), as: oneOf('recording', 'fixture').required() },
  { fail },
);
const ID = defineOptions<{ readonly id: number }>()({ id: integer(1).required() }, { fail });
const REVEAL = defineOptions<RevealRequest>()({ id: integer(1).required(), path: list(string).required() }, { fail });
const REVEAL_ITEM = defineOptions<RevealItemRequest>()(
  {
    service: text().required(),
    name: text().required(),
    start: text(),
    index: integer(0).required(),
    shown: anything,
    path: list(string).required(),
  },
  { fail },
);
const EXECUTION = defineOptions<ExecutionAction>()(
  {
    arn: text().required(),
    action: oneOf('skip', 'stop', 'kill', 'restart', 'complete', 'fail').required(),
    operation: text(),
    value: anything,
  },
  { fail },
);
const REVEAL_EARLIER = defineOptions<RevealEarlierRequest>()(
  {
    id: integer(1).required(),
    table: text(),
    index: integer(0).required(),
    shown: anything,
    path: list(string).required(),
  },
  { fail },
);
const EXPLAIN = defineOptions<{ readonly event: unknown; readonly context?: object }>()(
  { event: anything, context: object() },
  { fail },
);

/** Checks a body and returns it with its type. Only the members in `set` are checked. */
function reader<T extends object>(set: { parse(options: T): unknown }): (body: unknown) => T {
  return (body) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) throw fail('the body must be a JSON object');
    set.parse(body as T);
    return body as T;
  };
}

export const readExecution = reader<ExecutionAction>(EXECUTION);
export const readOpen = reader<OpenRequest>(OPEN);
export const readSend = reader<SendRequest>(SEND);
export const readToken = reader<TokenRequest>(TOKEN);
export const readSourceAction = reader<SourceActionRequest>(SOURCE_ACTION);
export const readReplay = reader<ReplayRequest>(REPLAY);
export const readSpeed = reader<{ readonly speed: number }>(SPEED);
export const readSave = reader<{ readonly id: number; readonly as: 'recording' | 'fixture' }>(SAVE);
export const readId = reader<{ readonly id: number }>(ID);
export const readReveal = reader<RevealRequest>(REVEAL);
export const readRevealItem = reader<RevealItemRequest>(REVEAL_ITEM);
export const readRevealEarlier = reader<RevealEarlierRequest>(REVEAL_EARLIER);
export const readExplain = reader<{ readonly event: unknown; readonly context?: object }>(EXPLAIN);
