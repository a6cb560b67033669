// The handler that AWS's runtime client calls: reports the causes of its errors, which the client does not, and on Node 22 and earlier
// serves handlers with a callback as the client of those versions does.
// https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html#nodejs-handler-callback

const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');
const MAX_CAUSES = 10;

/** Name, message and stack of an error and of its causes, the outermost first. */
export function describeError(error) {
  const described = [];
  // Causes can form a circle.
  const seen = new Set();
  for (let at = error; at !== undefined && at !== null && !seen.has(at) && seen.size < MAX_CAUSES; at = at.cause) {
    seen.add(at);
    described.push(
      at instanceof Error
        ? { type: String(at.name), message: String(at.message), trace: String(at.stack ?? '').split('\n') }
        : { type: typeof at, message: String(at), trace: [] },
    );
  }
  return described;
}

/** @param onError called with the error of an invocation, before the client reports it */
export function wrapHandler(handler, { onError, hasCallbacks }) {
  if (typeof handler !== 'function') return handler;
  const isStreaming = handler[STREAMING] === 'response';
  const call = hasCallbacks && !isStreaming ? withCallback(handler) : handler;
  const wrapped = function (...given) {
    try {
      const returned = call.apply(this, given);
      if (typeof returned?.then === 'function') returned.then(undefined, onError);
      return returned;
    } catch (error) {
      onError(error);
      throw error;
    }
  };
  for (const key of Reflect.ownKeys(handler)) {
    const isOwn = ['prototype', 'arguments', 'caller'].includes(key);
    if (!isOwn)
      Object.defineProperty(wrapped, key, { ...Object.getOwnPropertyDescriptor(handler, key), configurable: true });
  }
  // The client rejects a handler with three parameters, because it has no callbacks.
  if (call !== handler) Object.defineProperty(wrapped, 'length', { value: 2 });
  return wrapped;
}

/**
 * The result of a handler that returns a promise, or calls back, or calls a function of the context. Without any of these the answer is
 * `null` when nothing is left to wait for.
 */
function withCallback(handler) {
  return (event, context) =>
    new Promise((resolve, reject) => {
      let waits = true;
      let isDone = false;
      const onEmpty = () => resolve(null);
      process.once('beforeExit', onEmpty);
      const once =
        (settle) =>
        (...given) => {
          if (isDone) return;
          isDone = true;
          process.off('beforeExit', onEmpty);
          settle(...given);
        };
      const done = once((error, result) => (error === undefined || error === null ? resolve(result) : reject(error)));
      const callback = once((error, result) => {
        if (error !== undefined && error !== null) reject(error);
        else if (!waits) resolve(result);
        else process.once('beforeExit', () => resolve(result));
      });
      Object.defineProperty(context, 'callbackWaitsForEmptyEventLoop', {
        get: () => waits,
        set: (value) => {
          waits = value;
        },
        enumerable: true,
        configurable: true,
      });
      Object.assign(context, {
        done,
        succeed: (result) => done(null, result),
        fail: (error) => done(error ?? 'handled', null),
      });
      const returned = handler(event, context, callback);
      if (typeof returned?.then !== 'function') return;
      // The client of Node 24 reports a promise that never settles; so does this one.
      process.off('beforeExit', onEmpty);
      returned.then(context.succeed, context.fail);
    });
}
