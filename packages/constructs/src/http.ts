/** APIs, function URLs and load balancers in front of a function. */
export { AlbTarget, type AlbTargetProps } from './http/alb-target.js';
export { ApiDomain, type ApiDomainProps, type ApiDomainTarget } from './http/api-domain.js';
export { ApiAuthorization } from './http/authorization.js';
export type { CatchAllOptions, ContainerKind, DoorRoute, IHttpDoor } from './http/door.js';
export { FunctionUrl, FunctionUrlAuth, type FunctionUrlProps } from './http/function-url.js';
export { HttpApi, type HttpApiProps } from './http/http-api.js';
export type { LambdaAuthorizerProps } from './http/lambda-authorizer.js';
export { RestApi, type RestApiProps, RestEndpoint } from './http/rest-api.js';
export { WebSocketApi, type WebSocketApiProps } from './http/websocket-api.js';
