// `npm run check -- path`: the functions and files that one request runs. Counted by V8's precise coverage on the third call.

import { type Profiler, Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { json } from '../../packages/http/src/index.js';
import { Authenticated, SecureApp } from '../../packages/secure/src/index.js';
import { ROOT } from './command.js';

/** One function that ran, by its file and the place where it begins. */
interface PassedFunction {
  readonly file: string;
  readonly name: string;
}

// The route of packages/secure/README.md. Like this resolver, resolvers of tokens answer synchronously for a token that they have verified before.
const app = new SecureApp({ tier: 'p2', principalResolver: () => ({ identity: 'ada', scopes: ['users:read'] }) });
for (let index = 0; index < 100; index += 1) {
  app.get(`/other/${index}/{id}`, () => json(200, {}), Authenticated('users:read'));
}
app.get('/users/{id}', (ctx) => json(200, { id: ctx.param('id') }), Authenticated('users:read'));

const event = {
  version: '2.0',
  routeKey: '$default',
  rawPath: '/users/42',
  rawQueryString: '',
  headers: { accept: 'application/json', host: 'api.example', 'user-agent': 'check' },
  requestContext: {
    http: { method: 'GET', path: '/users/42', sourceIp: '192.0.2.1' },
    stage: '$default',
    requestId: 'r-1',
  },
  isBase64Encoded: false,
};

const session = new Session();
session.connect();
for (let call = 0; call < 2; call += 1) await app.handleLambda(event);
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await session.post('Profiler.takePreciseCoverage');
const answer = (await app.handleLambda(event)) as { readonly statusCode: number };
const { result } = await session.post('Profiler.takePreciseCoverage');
session.disconnect();
if (answer.statusCode !== 200) throw new Error(`the request was answered ${answer.statusCode}`);

const passed = result.flatMap(functionsOf);
const files = [...new Set(passed.map(({ file }) => file))];
process.stdout.write(`${JSON.stringify({ functions: passed, files })}\n`);

/** The functions of our packages that ran; the module's own body and the handler of this script do not count. */
function functionsOf({ url, functions }: Profiler.ScriptCoverage): PassedFunction[] {
  const file = url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : '';
  if (!/^packages\/[^/]+\/src\//.test(file)) return [];
  return functions
    .filter(
      ({ ranges, functionName }) =>
        (ranges[0]?.count ?? 0) > 0 && !(functionName === '' && ranges[0]?.startOffset === 0),
    )
    .map(({ functionName }) => ({ file, name: functionName === '' ? '(anonymous)' : functionName }));
}
