import { answerOf, createProject, start } from './support/run.js';

const CASES = [
  ['callback', '(event, context, callback) => callback(null, 1)', 1],
  ['callbackLater', '(event, context, callback) => setTimeout(() => callback(null, 2), 5)', 2],
  ['callbackError', "(event, context, callback) => callback(new TypeError('no'))", { errorType: 'TypeError' }],
  ['throws', "(event, context, callback) => { throw new RangeError('thrown'); }", { errorType: 'RangeError' }],
  ['promise', 'async (event, context, callback) => 3', 3],
  ['succeed', '(event, context) => context.succeed(4)', 4],
  ['done', '(event, context) => context.done(null, 5)', 5],
  ['fail', "(event, context) => context.fail(new Error('failed'))", { errorType: 'Error', errorMessage: 'failed' }],
  ['nothing', '(event, context, callback) => {}', null],
  ['asynchronous', 'async (event) => 6', 6],
  [
    'waits',
    '(event, context, callback) => { callback(null, globalThis.list = []); setTimeout(() => list.push(7), 5); }',
    [7],
  ],
  [
    'doesNotWait',
    '(event, context, callback) => { context.callbackWaitsForEmptyEventLoop = false; callback(null, 8); setTimeout(() => {}, 3_600_000); }',
    8,
  ],
] as const;

const isOld = Number(process.versions.node.split('.')[0]) <= 22;
const entry = CASES.map(([name, code]) => `export const ${name} = ${code};`).join('\n');

(isOld ? test : test.skip)('handlers with a callback answer on Node 22 and earlier', async () => {
  const project = createProject({
    'src/lambda.mjs': `${entry}\nconst all = { ${CASES.map(([name]) => name).join()} };\nexport const handler = function (event, context, callback) { return all[event](event, context, callback); };`,
  });
  const host = await start(project, {});
  const answers: Record<string, unknown> = {};
  for (const [name] of CASES) answers[name] = await answerOf(host, name);
  expect(answers).toMatchObject(Object.fromEntries(CASES.map(([name, , answer]) => [name, answer])));
  await host.stop();
  project.remove();
});

test('a handler with a callback is rejected on a Managed Instance, on every Node', async () => {
  const project = createProject({
    'src/lambda.mjs': 'export const handler = (event, context, callback) => callback();',
  });
  const host = await start(project, { managedInstances: 1 });
  expect(await answerOf(host, {})).toMatchObject({ errorType: 'Runtime.CallbackHandlerDeprecated' });
  await host.stop();
  project.remove();
});
