import { createWebSocketClientFactory } from '@sallyport/http/websocket';
import { createService } from './app.js';
import { createConnections } from './connections.js';
import { createPrincipalResolver } from './principal.js';

const connections = createConnections(process.env);
// Passed here, so that it becomes part of the bundle.
const loadSdk = () => import('@aws-sdk/client-apigatewaymanagementapi');
const options = {
  principalResolver: createPrincipalResolver(process.env, connections),
  webSocketClientFactory: createWebSocketClientFactory({ loadSdk }),
};

export const handler = createService(options, connections).handleLambda;
