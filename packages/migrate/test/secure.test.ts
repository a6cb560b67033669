import { planMigration } from '../src/index.js';
import { makeService, migrateText, removeServices, textAfter } from './support/service.js';

afterAll(removeServices);

const OPEN = `import { createApp } from '@sallyport/dispatch/app';\n`;
const CLOSED = `import { SecureApp } from '@sallyport/secure';\n`;
const CHOOSE = `import { SecureApp } from '@sallyport/secure';\nimport { choosePosture } from '@sallyport/secure/migrate';\n`;
const APP = `const app = createApp();\n`;
const SECURE = `const app = new SecureApp();\n`;

const CASES: readonly (readonly [string, string, string, ...string[]])[] = [
  ['a container', OPEN + APP, CLOSED + SECURE],
  [
    'a container without a name',
    `${OPEN}export default createApp({ tier: 'P2' });`,
    `${CLOSED}export default new SecureApp({ tier: 'P2' });`,
  ],
  [
    'the class',
    `import { App } from '@sallyport/dispatch/app';\nconst app = new App({});`,
    `${CLOSED}const app = new SecureApp({});`,
  ],
  ['a route', `${OPEN}${APP}app.get('/a', f);`, `${CHOOSE}${SECURE}app.get('/a', f, choosePosture('GET /a'));`],
  [
    'a route with options',
    `${OPEN}${APP}app.post('/a', f, { streaming: true });`,
    `${CHOOSE}${SECURE}app.post('/a', f, choosePosture('POST /a'), { streaming: true });`,
  ],
  [
    'a flag that is quoted and decides nothing',
    `${OPEN}${APP}app.get('/a', f, { authRequired: false });`,
    `${CHOOSE}${SECURE}app.get('/a', f, choosePosture('GET /a') /* authRequired: false */);`,
  ],
  [
    'a flag before other options',
    `${OPEN}${APP}app.get('/a', f, { authRequired: true, use: [m] });`,
    `${CHOOSE}${SECURE}app.get('/a', f, choosePosture('GET /a') /* authRequired: true */, { use: [m] });`,
  ],
  [
    'a flag behind other options',
    `${OPEN}${APP}app.get('/a', f, { use: [m], authRequired: true });`,
    `${CHOOSE}${SECURE}app.get('/a', f, choosePosture('GET /a') /* authRequired: true */, { use: [m] });`,
  ],
  [
    'handle',
    `${OPEN}${APP}app.handle('PURGE', '/a', f);`,
    `${CHOOSE}${SECURE}app.handle('PURGE', '/a', f, choosePosture('PURGE /a'));`,
  ],
  [
    'a chain',
    `${OPEN}${APP}app.get('/a', f).queue('q', g).put('/b', f);`,
    `${CHOOSE}${SECURE}app.get('/a', f, choosePosture('GET /a')).queue('q', g).put('/b', f, choosePosture('PUT /b'));`,
  ],
  [
    'a chain from the call itself',
    `${OPEN}export const app = createApp().get('/a', f);\napp.get('/b', f);`,
    `${CHOOSE}export const app = new SecureApp().get('/a', f, choosePosture('GET /a'));\napp.get('/b', f, choosePosture('GET /b'));`,
  ],
  [
    'GraphQL and WebSocket',
    `${OPEN}${APP}app.appSyncField('Query', 'a', f).appSyncBatchField('A', 'b', g).webSocket('$connect', f);`,
    `${CHOOSE}${SECURE}app.appSyncField('Query', 'a', f, choosePosture('Query.a')).appSyncBatchField('A', 'b', g, choosePosture('A.b')).webSocket('$connect', f, choosePosture('$connect'));`,
  ],
  [
    'events, which take none',
    `${OPEN}${APP}app.queue('q', f).kinesis('s', f).topic('t', f).eventBus({}, f).tableStream('t', f);`,
    `${CLOSED}${SECURE}app.queue('q', f).kinesis('s', f).topic('t', f).eventBus({}, f).tableStream('t', f);`,
  ],
  [
    'groups',
    `${OPEN}${APP}app.group('/a', { authRequired: true }, (one) => {\n  one.group('/b', {}, (two) => two.get('/', f));\n});`,
    `${CHOOSE}${SECURE}app.group('/a', {} /* authRequired: true */, (one) => {\n  one.group('/b', {}, (two) => two.get('/', f, choosePosture('GET /a/b')));\n});`,
  ],
  [
    'a pattern that is no literal',
    `${OPEN}${APP}app.get(PATHS.user + '/x', f);`,
    `${CHOOSE}${SECURE}app.get(PATHS.user + '/x', f, choosePosture('GET PATHS.user + \\'/x\\''));`,
  ],
  [
    'a trailing comma',
    `${OPEN}${APP}app.get('/a', f,);`,
    `${CHOOSE}${SECURE}app.get('/a', f, choosePosture('GET /a'),);`,
  ],
  [
    'an import that is needed on',
    `import { createApp, type App } from '@sallyport/dispatch/app';\n${APP}type A = App;`,
    `import { type App } from '@sallyport/dispatch/app';\n${CLOSED}${SECURE}type A = App;`,
    '3:10 App is the open container: use SecureApp',
  ],
  [
    'an import of secure that is there',
    `${OPEN}import { Public } from '@sallyport/secure';\n${APP}`,
    `import { Public, SecureApp } from '@sallyport/secure';\n${SECURE}`,
  ],
  [
    'a container in a function',
    `${OPEN}function make() {\n  const app = createApp();\n  return app.get('/a', f);\n}`,
    `${CHOOSE}function make() {\n  const app = new SecureApp();\n  return app.get('/a', f, choosePosture('GET /a'));\n}`,
  ],
  [
    'an auth hook',
    `${OPEN}createApp({ authHook: who, tier: 'P2' });`,
    `${CLOSED}new SecureApp({ /* authHook: who */ tier: 'P2' });`,
    '2:13 authHook: write a principalResolver in its place',
  ],
  [
    'an auth hook with a comment inside',
    `${OPEN}createApp({\n  authHook: () => who /* old */,\n});`,
    `${CLOSED}new SecureApp({\n  /* authHook: () => who */ /* old */\n});`,
    '3:3 authHook: write a principalResolver in its place',
  ],
  [
    'an auth hook with a comment in its code',
    `${OPEN}createApp({\n  authHook: (ctx) => /* old */ ctx.path,\n});`,
    `${CLOSED}new SecureApp({\n  // authHook: (ctx) => /* old */ ctx.path\n\n});`,
    '3:3 authHook: write a principalResolver in its place',
  ],
  // Left open.
  [
    'options from elsewhere',
    `${OPEN}const app = createApp(options);\napp.get('/a', f);`,
    `${OPEN}const app = createApp(options);\napp.get('/a', f);`,
    '2:23 the options are not written here; the container is left open',
  ],
  [
    'options that are spread',
    `${OPEN}createApp({ ...common });`,
    `${OPEN}createApp({ ...common });`,
    '2:13 options that are spread or computed: SecureApp may not have it; the container is left open',
  ],
  [
    'an unknown option',
    `${OPEN}createApp({ magic: 1 });`,
    `${OPEN}createApp({ magic: 1 });`,
    '2:13 the option magic: SecureApp may not have it; the container is left open',
  ],
  [
    'a variable with a type',
    `import { App, createApp } from '@sallyport/dispatch/app';\nconst app: App = createApp();`,
    `import { App, createApp } from '@sallyport/dispatch/app';\nconst app: App = createApp();`,
    '2:18 its variable has the type App; the container is left open',
  ],
  [
    'a file that has begun already',
    `${OPEN}${CLOSED}${APP}app.get('/a', f);`,
    `${OPEN}${CLOSED}${APP}app.get('/a', f);`,
    '3:13 the file uses SecureApp already: close this container by hand',
  ],
  [
    'a container of another library',
    `import { createApp } from 'vue';\n${APP}app.get('/a', f);`,
    `import { createApp } from 'vue';\n${APP}app.get('/a', f);`,
  ],
  [
    'a name that shadows the container',
    `${OPEN}${APP}function g(app: Map<string, string>) { return app.get('/a'); }`,
    `${CLOSED}${SECURE}function g(app: Map<string, string>) { return app.get('/a'); }`,
  ],
  [
    'a createApp of its own',
    `function createApp() { return new Map(); }\n${APP}app.get('/a', f);`,
    `function createApp() { return new Map(); }\n${APP}app.get('/a', f);`,
  ],
  // Manual steps.
  [
    'arguments that are spread',
    `${OPEN}${APP}app.get(...route);`,
    `${CLOSED}${SECURE}app.get(...route);`,
    '3:5 get whose arguments are not written out: choose its posture by hand',
  ],
  [
    'a group from elsewhere',
    `${OPEN}${APP}app.group('/a', {}, routes);`,
    `${CLOSED}${SECURE}app.group('/a', {}, routes);`,
    '3:21 a group that is defined elsewhere: choose a posture for it, or for each of its routes',
  ],
  [
    'a container that is passed on',
    `${OPEN}import { more } from './more.js';\n${APP}more(app);`,
    `${CLOSED}import { more } from './more.js';\n${SECURE}more(app);`,
    '4:6 the container leaves this file through more(app): close what is registered there',
  ],
  [
    'a container that is stored',
    `${OPEN}${APP}const all = { app };`,
    `${CLOSED}${SECURE}const all = { app };`,
    '3:15 the container leaves this file through app: close what is registered there',
  ],
  [
    'a container that goes to a package',
    `${OPEN}import { createTestEnv } from '@sallyport/testkit';\n${APP}createTestEnv().invoke(app, {});`,
    `${CLOSED}import { createTestEnv } from '@sallyport/testkit';\n${SECURE}createTestEnv().invoke(app, {});`,
  ],
];

it.each(CASES)('secure: %s', (_name, before, after, ...manual) => {
  expect(migrateText(before, ['secure'])).toEqual({ after, manual });
  expect(migrateText(after, ['secure']).after).toBe(after);
});

it('closes what other files of the service register', () => {
  const files = {
    'src/app.ts': `${OPEN}export const app = createApp();\n`,
    'src/routes.ts': `import { app as service } from './app.js';\nservice.get('/a', f);\n`,
    'tsconfig.json': '{ "compilerOptions": { "paths": { "#app": ["./src/app.ts"] } } }',
    'src/alias.ts': `import { app } from '#app';\napp.get('/b', f);\n`,
  };
  const plan = planMigration({ root: makeService(files), rules: ['secure'] });
  expect(textAfter(plan, 'src/routes.ts', '')).toBe(
    `import { app as service } from './app.js';\nimport { choosePosture } from '@sallyport/secure/migrate';\nservice.get('/a', f, choosePosture('GET /a'));\n`,
  );
  expect(textAfter(plan, 'src/alias.ts', '')).toContain(`choosePosture('GET /b')`);
  // The file that creates the container is written last, so an interrupted run can be resumed.
  expect(plan.order).toEqual(['src/alias.ts', 'src/routes.ts', 'src/app.ts']);
});

describe('strict', () => {
  it.each<readonly [string, string, string, ...string[]]>([
    [
      'a constant',
      `${OPEN}${APP}app.getStrict('/a', f).handleStrict('PUT', '/a', f);`,
      `${OPEN}${APP}app.get('/a', f).handle('PUT', '/a', f);`,
    ],
    [
      'a secure container',
      `${CLOSED}${SECURE}app.getStrict('/a', f, Public());`,
      `${CLOSED}${SECURE}app.get('/a', f, Public());`,
    ],
    [
      'a parameter with its type',
      `import type { App } from '@sallyport/dispatch/app';\nfunction f(app: App) { app.getStrict('/a', g); }`,
      `import type { App } from '@sallyport/dispatch/app';\nfunction f(app: App) { app.get('/a', g); }`,
    ],
    [
      'a required container',
      `const { createApp } = require('@sallyport/dispatch/app');\n${APP}app.getStrict('/a', f);`,
      `const { createApp } = require('@sallyport/dispatch/app');\n${APP}app.get('/a', f);`,
    ],
    [
      'another library',
      `db.getStrict('a');`,
      `db.getStrict('a');`,
      '1:4 getStrict of something that is not known to be a container: use get if it is one',
    ],
    [
      'a let',
      `${OPEN}let app = createApp();\napp.getStrict('/a', f);`,
      `${OPEN}let app = createApp();\napp.getStrict('/a', f);`,
      '3:5 getStrict of something that is not known to be a container: use get if it is one',
    ],
    [
      'a method that is stored',
      `${OPEN}${APP}const get = app.getStrict;`,
      `${OPEN}${APP}const get = app.getStrict;`,
      '3:17 getStrict is used without its container: use get',
    ],
    [
      'a method that is taken apart',
      `${OPEN}${APP}const { handleStrict } = app;`,
      `${OPEN}${APP}const { handleStrict } = app;`,
      '3:9 handleStrict is used without its container: use handle',
    ],
  ])('removes the word: %s', (_name, before, after, ...manual) => {
    const path = before.includes('require(') ? 'a.js' : 'a.ts';
    expect(migrateText(before, ['strict'], undefined, path)).toEqual({ after, manual });
  });
});
