import { Alias, type IFunction, type IVersion } from 'aws-cdk-lib/aws-lambda';
import { WebSocketApi } from '../src/http.js';
import { newFn } from './support/function.js';
import { newStack, propertiesOf, statementsOf, templateOf } from './support/synth.js';

it('has a log, a throttle, and one route for each key; the function may answer connections of its stage', () => {
  const stack = newStack();
  const fn = newFn(stack);
  const api = new WebSocketApi(stack, 'Sockets', { fn, respond: true });
  for (const key of ['$connect', '$disconnect', 'say', 'say']) api.addRouteKey(key);
  const template = templateOf(stack);
  expect(propertiesOf(template, 'AWS::ApiGatewayV2::Api')).toMatchObject([
    { ProtocolType: 'WEBSOCKET', RouteSelectionExpression: '$request.body.action' },
  ]);
  const routes = propertiesOf(template, 'AWS::ApiGatewayV2::Route');
  expect(
    routes.map(({ RouteKey, RouteResponseSelectionExpression }) => [RouteKey, RouteResponseSelectionExpression]),
  ).toEqual([
    ['$connect', undefined],
    ['$disconnect', undefined],
    ['say', '$default'],
  ]);
  expect(propertiesOf(template, 'AWS::ApiGatewayV2::RouteResponse')).toHaveLength(1);
  expect(propertiesOf(template, 'AWS::ApiGatewayV2::Stage')).toMatchObject([
    { StageName: 'live', DefaultRouteSettings: { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 } },
  ]);
  const [statement] = statementsOf(template);
  expect(statement).toMatchObject({ Action: 'execute-api:ManageConnections', Effect: 'Allow' });
  expect(JSON.stringify(statement?.Resource)).toContain('/live/*/@connections/*');
  const [{ Environment } = {}] = propertiesOf(template, 'AWS::Lambda::Function');
  const endpoint = (Environment as { Variables: Record<string, unknown> }).Variables.FRAMEWORK_WEBSOCKET_ENDPOINT;
  expect(JSON.stringify(endpoint)).toMatch(/"https:\/\/".*"\/live"/);
});

it.each([
  ['a blank key', '', /route key, got ""/],
  ['a key with a blank', 'say it', /route key, got "say it"/],
])('refuses %s', (_name, key, expected) => {
  const stack = newStack();
  const api = new WebSocketApi(stack, 'Sockets', { fn: newFn(stack) });
  expect(() => api.addRouteKey(key)).toThrow(expected);
});

it('refuses an alias, which takes no variables', () => {
  const stack = newStack();
  const version = newFn(stack).currentVersion as IVersion;
  const fn = new Alias(stack, 'Alias', { aliasName: 'live', version }) as IFunction;
  expect(() => new WebSocketApi(stack, 'Sockets', { fn })).toThrow(
    expect.objectContaining({ code: 'constructs.fixed_environment', path: 'Test/Sockets' }),
  );
});
