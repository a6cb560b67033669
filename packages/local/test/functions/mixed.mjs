// A handler that is not a Sallyport handler: its behaviour depends on the event.
const ticks = [];
let current = '';
const kept = [];
let interval;

const does = {
  echo: (event) => event.value,
  fail: () => {
    throw new TypeError('broken');
  },
  state: () => {
    clearInterval(interval);
    return { ticks };
  },
  later: () => {
    interval = setInterval(() => ticks.push(current), 20);
    return 'left a timer';
  },
  loop: () => {
    for (;;);
  },
  never: () => new Promise(() => {}),
  wait: ({ ms }) => new Promise((resolve) => setTimeout(() => resolve('waited'), ms)),
  leave: () => process.exit(0),
  crash: () => {
    setImmediate(() => {
      throw new Error('nobody catches this');
    });
    return new Promise(() => {});
  },
  reject: () => {
    Promise.reject(new RangeError('a promise that nothing awaits'));
    return new Promise((resolve) => setTimeout(resolve, 1000));
  },
  abort: () => process.abort(),
  heap: () => {
    for (;;) kept.push(new Array(100_000).fill(kept.length));
  },
  large: () => 'x'.repeat(7 * 1024 * 1024),
  leak: async () => {
    for (;;) {
      kept.push(Buffer.alloc(8 * 1024 * 1024, 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
  log: ({ bytes }) => {
    console.log('first\nsecond');
    process.stdout.write('plain\n');
    console.error('z'.repeat(bytes));
    return 'logged';
  },
  chat: ({ lines }) => {
    for (let line = 0; line < lines; line += 1) console.log(`line ${line} of a handler that prints much`);
    return 'printed';
  },
  lookup: async ({ name }) => {
    try {
      await fetch(`https://${name}/`);
      return 'reached';
    } catch (error) {
      return error.cause?.message ?? error.message;
    }
  },
  context: (_event, context) => ({
    name: context.functionName,
    arn: context.invokedFunctionArn,
    remaining: context.getRemainingTimeInMillis() > 0,
    trace: process.env._X_AMZN_TRACE_ID,
    client: context.clientContext,
  }),
  variables: () => process.env,
};

export const handler = async (event, context) => {
  current = context.awsRequestId;
  return does[event.do](event, context);
};

export const callback = (_event, _context, done) => done(null, 'never');
