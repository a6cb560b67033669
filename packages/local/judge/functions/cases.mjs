// The functions that the judge runs with both native parts. A second event, "again", shows that the environment is still usable.
const again = (work) => async (event) => (event === 'again' ? 'again' : work(event));
const streamed = (work) =>
  awslambda.streamifyResponse(async (event, stream, context) => {
    if (event !== 'again') return work(stream, context);
    stream.end('again');
  });

export const echo = async (event) => event;
export const nothing = again(() => undefined);
export const none = again(() => null);
export const half = again(() => 'a\ud83d');
export const big = again((bytes) => 'x'.repeat(bytes));
export const size = again((text) => text.length);
export const circular = again(() => {
  const value = {};
  value.self = value;
  return value;
});
export const timer = again(() => {
  setTimeout(() => {}, 60_000);
  return 'done';
});

class NoteError extends Error {
  name = 'NoteError';
}
const failing = (create) =>
  again(() => {
    throw create();
  });
export const thrown = failing(() => new NoteError('no such note'));
export const cause = failing(() => new Error('outer', { cause: new TypeError('inner') }));
export const aggregate = failing(() => new AggregateError([new Error('one'), new Error('two')], 'both'));
export const unicodeError = failing(() => new Error('Grüße, 漢字, 🛠, \u007f'));
export const lines = failing(() => new Error('first\r\nsecond: third'));
export const long = failing(() => new Error('x'.repeat(20_000)));
export const stackless = failing(() => Object.assign(new Error('no stack'), { stack: undefined }));
export const rejectedText = failing(() => 'text');
export const rejectedNothing = failing(() => undefined);
export const rejectedObject = failing(() => ({ code: 7 }));

const forever = () => new Promise((resolve) => setTimeout(resolve, 60_000));
export const unhandled = again(() => {
  void Promise.reject(new NoteError('nobody waits'));
  return forever();
});
export const uncaught = again(() => {
  setImmediate(() => {
    throw new NoteError('nobody catches');
  });
  return forever();
});
export const exits = again(() => process.exit(3));
export const never = again(() => new Promise(() => {}));

/** Resolves when the bytes are passed to the system. */
const written = (stream, text) => new Promise((resolve) => stream.write(text, resolve));
export const stream = streamed(async (out) => {
  out.setContentType('text/plain');
  await written(out, 'Grüße, ');
  out.end('漢字');
});
export const prelude = streamed((out) => {
  const answer = awslambda.HttpResponseStream.from(out, { statusCode: 201, headers: { 'x-a': 'b' }, cookies: ['c=d'] });
  answer.end('made');
});
export const bigStream = streamed((out) => out.end(Buffer.alloc(1_048_576, 'x')));
export const failsFirst = streamed(() => {
  throw new NoteError('before');
});
export const failsLater = streamed(async (out) => {
  await written(out, 'first');
  throw new NoteError('after');
});
export const exitsLater = streamed(async (out) => {
  await written(out, 'first');
  process.exit(4);
});

export const callback = (_event, _context, done) => done(null, 'called');
export const noFunction = 'text';

export const context = async (_event, { getRemainingTimeInMillis, ...rest }) => ({
  ...rest,
  hasTime: getRemainingTimeInMillis() > 1_000_000,
  traceId: process.env._X_AMZN_TRACE_ID ?? 'none',
});
