import { FrameworkError } from '@sallyport/core';
import { json } from '@sallyport/http';
import { type CompatOptions, expressCompat, honoCompat, middyCompat, powertoolsCompat } from '@sallyport/http/compat';
import { buildAPIGatewayV2Request } from '@sallyport/testkit';
import { Public, SecureApp } from '../src/index.js';

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function ask(options: CompatOptions, request: string): Promise<readonly unknown[]> {
  const app = new SecureApp({ ...options, log: false });
  app.get('/item', () => json(200, { id: 1 }), Public());
  app.get('/missing', () => Promise.reject(new FrameworkError('app.not_found', 'no <item>')), Public());
  app.get('/broken', () => Promise.reject(new Error('secret of the server')), Public());
  const [method = '', path = ''] = request.split(' ');
  const { statusCode, headers, body } = (await app.handleLambda(buildAPIGatewayV2Request(method, path))) as Answer;
  return [statusCode, headers['content-type'], body];
}

const page = (line: string) =>
  `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n<body>\n<pre>${line}</pre>\n</body>\n</html>\n`;
const HTML = 'text/html; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

// The old services in packages/migrate/test/services show that the old frameworks answer so.
it.each<[string, CompatOptions, string, readonly unknown[]]>([
  ['Express', expressCompat, 'GET /nowhere', [404, HTML, page('Cannot GET /nowhere')]],
  ['Express', expressCompat, 'POST /item', [404, HTML, page('Cannot POST /item')]],
  ['Express', expressCompat, 'GET /a&b', [404, HTML, page('Cannot GET /a&amp;b')]],
  ['Express', expressCompat, 'GET /missing', [404, HTML, page('no &lt;item&gt;')]],
  ['Express', expressCompat, 'GET /broken', [500, HTML, page('Internal Server Error')]],
  ['Hono', honoCompat, 'GET /nowhere', [404, TEXT, '404 Not Found']],
  ['Hono', honoCompat, 'POST /item', [404, TEXT, '404 Not Found']],
  ['Hono', honoCompat, 'GET /missing', [404, TEXT, 'no <item>']],
  ['Hono', honoCompat, 'GET /broken', [500, TEXT, 'Internal Server Error']],
  ['Middy', middyCompat, 'GET /nowhere', [404, TEXT, 'Route does not exist']],
  ['Middy', middyCompat, 'GET /missing', [404, 'text/plain', 'no <item>']],
  ['Middy', middyCompat, 'GET /broken', [500, undefined, '']],
  [
    'Powertools',
    powertoolsCompat,
    'POST /item',
    [404, JSON_TYPE, '{"statusCode":404,"error":"NotFoundError","message":"Route /item for method POST not found"}'],
  ],
  [
    'Powertools',
    powertoolsCompat,
    'GET /missing',
    [404, JSON_TYPE, '{"statusCode":404,"error":"NotFoundError","message":"no <item>"}'],
  ],
  [
    'Powertools',
    powertoolsCompat,
    'GET /broken',
    [500, JSON_TYPE, '{"statusCode":500,"error":"Internal Server Error","message":"Internal Server Error"}'],
  ],
])('the preset of %s answers like it (%#)', async (_, options, request, expected) => {
  expect(await ask(options, request)).toEqual(expected);
});

it.each([expressCompat, honoCompat, middyCompat, powertoolsCompat])('a preset serves HEAD by GET', async (options) => {
  expect(await ask(options, 'HEAD /item')).toEqual([200, JSON_TYPE, '']);
});
