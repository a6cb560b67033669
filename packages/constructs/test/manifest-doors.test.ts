import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from '@sallyport/http';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { type CfnFunction, Code } from 'aws-cdk-lib/aws-lambda';
import { type App, CfnParameter, type Stack } from 'aws-cdk-lib/core';
import {
  AlbTarget,
  ApiAuthorization,
  HttpApi,
  type IHttpDoor,
  RestApi,
  ServiceFunction,
  ServiceWiring,
  toInventory,
} from '../src/index.js';
import { newStack } from './support/synth.js';

const code = Code.fromInline('exports.handler = 1');

type Make = (stack: Stack, fn: ServiceFunction['fn']) => IHttpDoor;

/** The door of the manifest of a service with a health check and a closed operation. */
function doorOf(make: Make, options: { readonly catchAll?: boolean } = {}): unknown {
  const app = new SecureApp({ principalResolver: () => null });
  app.get('/health', () => json(200, {}), Public());
  app.get('/notes/{id}', () => json(200, {}), Authenticated());
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code });
  (fn.node.defaultChild as CfnFunction).functionName = 'notes';
  const wiring = new ServiceWiring(stack, 'Wiring', { fn, inventory: toInventory(app) });
  wiring.http(make(stack, fn), options);
  const { directory } = (stack.node.root as App).synth();
  const text = readFileSync(join(directory, 'sallyport.json'), 'utf8');
  const { functions } = JSON.parse(text) as {
    functions: readonly { functionName: string; doors: readonly object[] }[];
  };
  expect(functions[0]?.functionName).toBe('notes');
  return functions[0]?.doors[0];
}

const jwt = ApiAuthorization.jwt('https://issuer.example', ['notes']);
const USERS = { issuer: 'https://issuer.example', audience: ['notes'] };

describe('the manifest states the settings of a door', () => {
  it.each<[string, Make, { readonly catchAll?: boolean }, object]>([
    ['an HTTP API', (stack, fn) => new HttpApi(stack, 'Door', { fn }), {}, { kind: 'http-api', stage: '$default' }],
    [
      'an HTTP API with a JWT authorizer',
      (stack, fn) => new HttpApi(stack, 'Door', { fn, authorization: jwt }),
      {},
      { kind: 'http-api', stage: '$default', jwt: { 'GET /notes/{id}': USERS } },
    ],
    [
      'an HTTP API with a JWT authorizer and one route for all requests',
      (stack, fn) => new HttpApi(stack, 'Door', { fn, authorization: jwt }),
      { catchAll: true },
      { kind: 'http-api', stage: '$default', jwt: { 'GET /notes/{id}': USERS } },
    ],
    [
      'an HTTP API whose issuer and audience are known only at deployment',
      (stack, fn) => {
        const value = new CfnParameter(stack, 'Issuer').valueAsString;
        const authorization = ApiAuthorization.jwt(value, [value, 'notes']);
        return new HttpApi(stack, 'Door', { fn, authorization });
      },
      {},
      { kind: 'http-api', stage: '$default', jwt: { 'GET /notes/{id}': { audience: ['notes'] } } },
    ],
    [
      'a REST API',
      (stack, fn) => new RestApi(stack, 'Door', { fn, binaryMediaTypes: ['image/png'] }),
      {},
      { kind: 'rest-api', stage: 'live', binaryMediaTypes: ['image/png'] },
    ],
    [
      'a load balancer',
      (stack, fn) => new AlbTarget(stack, 'Door', { fn }),
      {},
      { kind: 'load-balancer', multiValueHeaders: true },
    ],
  ])('%s', (_title, make, options, settings) => {
    expect(doorOf(make, options)).toEqual({
      streams: false,
      routes: ['GET /health', 'GET /notes/{id}'],
      ...settings,
    });
  });
});
