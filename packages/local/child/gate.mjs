// The module that AWS's runtime client loads as the function. A standby imports the dependencies here and waits on descriptor 4;
// then the service is imported, inspected, and exported as `default`, where the client finds any handler name.
import { channel, tracingChannel } from 'node:diagnostics_channel';
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import { describeError, wrapHandler } from './callbacks.mjs';
import { warm } from './warm.mjs';

const TO_HOST = 5;
const FROM_HOST = 4;
const MAX_MESSAGE = 262_144;
/** A contract has every schema of the service. */
const MAX_ANSWER = 16_777_216;

function notify(message, limit = MAX_MESSAGE) {
  try {
    const line = JSON.stringify(message);
    if (line.length > limit) return false;
    writeSync(TO_HOST, `${line}\n`);
  } catch {}
  return true;
}

/** The id of the current invocation, even if several run in parallel. */
const requestId = () => globalThis.awslambda?.InvokeStore?.getRequestId() ?? '-';

/** Reads lines from the host; they do not keep the process alive. */
function listen(onMessage) {
  const socket = new Socket({ fd: FROM_HOST, readable: true, writable: false });
  let rest = '';
  socket.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) onMessage(JSON.parse(line));
  });
  socket.on('error', () => {});
  return socket;
}

function watchSpans() {
  for (const kind of ['request', 'event']) {
    const started = new WeakMap();
    const done = (message) => {
      const startedAt = started.get(message);
      if (startedAt === undefined) return;
      started.delete(message);
      const { name, attributes, error } = message;
      const { at, id } = startedAt;
      notify({
        type: 'span',
        id,
        span: { name, kind, startedAt: at, endedAt: Date.now(), attributes, error: error?.code ?? null },
      });
    };
    tracingChannel(`framework.${kind}`).subscribe({
      start: (message) => started.set(message, { at: Date.now(), id: requestId() }),
      asyncEnd: done,
    });
  }
  channel('framework.gate').subscribe((decision) => notify({ type: 'gate', id: requestId(), decision }));
}

/** The description of the service; `null` for a handler that is not a Sallyport handler. */
function inspect(handler) {
  const inspection = handler?.[Symbol.for('framework.inspect')];
  if (!inspection) return null;
  globalThis[Symbol.for('sallyport.local.explain')] = (body, headers) => {
    try {
      const clientContext = headers['lambda-runtime-client-context'];
      const context = clientContext === undefined ? {} : { clientContext: JSON.parse(clientContext) };
      notify({
        type: 'explained',
        id: headers['lambda-runtime-aws-request-id'],
        explain: inspection.explain(JSON.parse(body), context),
      });
    } catch {}
  };
  return inspection;
}

const PAYLOAD = Symbol.for('sallyport.streams.payload/1');
/** The statement of a registration for tools: `keepStated` of `@sallyport/core`. */
const STATED = Symbol.for('sallyport.stated/1');
/** The types of the fields of `bind`. */
const FIELD_TYPES = { int: { type: 'integer' }, float: { type: 'number' }, bool: { type: 'boolean' } };
const DURATION = { type: 'string', examples: ['1m30s'] };

/** Adds the JSON Schema of a registration's payload, if its library can write it. */
function withPayloadSchema(registration) {
  const payload = toJsonSchema(registration[PAYLOAD]);
  return payload === undefined ? registration : { ...registration, payload };
}

/**
 * Adds the member that names the action, and the JSON Schema of the whole message of a WebSocket route: of `message()`, whose data is in a
 * member of the envelope, or the body of `bind()`.
 */
function withMessage(line, { route: action = 'action' } = {}) {
  if (line.surface !== 'websocket') return line;
  const { handler } = line[STATED] ?? {};
  const { message, member } = handler?.[STATED] ?? {};
  const data = toJsonSchema(message);
  const enclosed = data && {
    type: 'object',
    properties: { [action]: { const: line.webSocketRouteKey }, [member]: data },
    required: [action, member],
  };
  const payload = enclosed ?? toJsonSchema(handler?.contract?.body);
  return { ...line, action, ...(payload !== undefined && { payload }) };
}

/** The JSON Schema of a Standard Schema or of fields of `bind`; `undefined` if absent, or if JSON Schema cannot express it. */
function toJsonSchema(schema) {
  if (schema === undefined) return undefined;
  try {
    const isStandard = '~standard' in schema;
    return isStandard ? schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) : ofFields(schema);
  } catch {
    return undefined;
  }
}

/** The JSON Schema of the fields of `bind`, without their rules. */
function ofFields(fields) {
  const members = Object.entries(fields).map(([field, { type, name = field, array = false }]) => {
    const one = type === 'duration' ? DURATION : (FIELD_TYPES[type] ?? { type: 'string' });
    return [name, array ? { type: 'array', items: one } : one];
  });
  return { type: 'object', properties: Object.fromEntries(members) };
}

function describe(inspection, handler) {
  const streaming = handler?.[Symbol.for('aws.lambda.runtime.handler.streaming')] === 'response';
  if (!inspection) return { isOurs: false, routes: [], triggers: [], streaming };
  return {
    isOurs: true,
    routes: inspection.routes().map((line) => withMessage(line, inspection.socket?.envelope)),
    triggers: inspection.triggers().map(withPayloadSchema),
    streaming,
  };
}

function answerQuestions(inspection, handler, message) {
  const { question, id } = message;
  const answers = {
    explain: () => inspection?.explain(message.event, message.context) ?? null,
    openapi: () => inspection?.openapi() ?? null,
    contract: async () => (await import('@sallyport/contract/describe')).default.describe(handler) ?? null,
  };
  Promise.resolve()
    .then(() => answers[question]())
    .then(
      (value) => {
        if (!notify({ type: 'answer', id, value }, MAX_ANSWER)) notify({ type: 'answer', id, error: 'too large' });
      },
      (error) => notify({ type: 'answer', id, error: String(error?.message ?? error) }),
    );
}

const given = JSON.parse(process.env.SALLYPORT_LOCAL_GATE ?? '{}');
delete process.env.SALLYPORT_LOCAL_GATE;

let start = given.start;
let inspection = null;
let handler;
const questions = [];
// The order may come while the dependencies still load.
let giveOrder;
const order = new Promise((resolve) => {
  giveOrder = resolve;
});
const socket = isMainThread
  ? listen((message) => {
      if (message.start) giveOrder(message.start);
      else if (questions.isOpen) answerQuestions(inspection, handler, message);
      else questions.push(message);
    })
  : undefined;

const { preload = [] } = given;
if (start !== undefined) for (const file of preload) await import(file);
else {
  await warm(preload, given.standby);
  notify({ type: 'standby' });
  start = await order;
}
socket?.unref();
Object.assign(process.env, start.variables);

watchSpans();
const service = await import(start.entry);
const names = start.handler.split('.');
handler = names.reduce((at, key) => at?.[key], service) ?? service.default?.[start.handler];
inspection = inspect(handler);
notify({ type: 'inspection', inspection: describe(inspection, handler) });
questions.isOpen = true;
for (const message of questions) answerQuestions(inspection, handler, message);

const isManaged = process.env.AWS_LAMBDA_MAX_CONCURRENCY !== undefined;
const wrapped = wrapHandler(handler, {
  hasCallbacks: !isManaged && Number(process.versions.node.split('.')[0]) <= 22,
  onError: (error) => notify({ type: 'thrown', id: requestId(), errors: describeError(error) }),
});

/** The exports of the service, with the wrapped handler. */
function withHandler(at, [key, ...rest]) {
  if (key === undefined) return wrapped;
  return { ...at, [key]: withHandler(at?.[key], rest) };
}

const all = { ...(typeof service.default === 'object' ? service.default : {}), ...service };
export default wrapped === undefined ? all : withHandler(all, names);
