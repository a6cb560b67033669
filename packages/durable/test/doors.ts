import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildAppSyncEvent,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  buildWebSocketEvent,
} from '@sallyport/testkit';

/** A request of each HTTP door to `POST /orders`. */
export const HTTP_DOORS: readonly (readonly [string, object])[] = [
  ['HTTP API v2', buildAPIGatewayV2Request('POST', '/orders', {})],
  ['REST API v1', buildAPIGatewayProxyRequest('POST', '/orders', {})],
  ['load balancer', buildLoadBalancerRequest('POST', '/orders', {})],
  ['function URL', buildLambdaFunctionURLRequest('POST', '/orders', {})],
];
/** A request of each door: HTTP, the field `Query.order`, and the route `order` of a WebSocket. */
export const DOORS: readonly (readonly [string, object])[] = [
  ...HTTP_DOORS,
  ['GraphQL', buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'order' })],
  ['WebSocket', buildWebSocketEvent({ eventType: 'MESSAGE', routeKey: 'order', body: '{}' })],
];
