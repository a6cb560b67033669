// One of each object that an application creates at the top level of its module, before a snapshot is taken.
import { createEmfSink, createErrorNotifier, createLogger } from '../../packages/core/src/observability.js';
import { createApp } from '../../packages/dispatch/src/app.js';
import { createHttpRouter } from '../../packages/http/src/index.js';
import { createMemoryConnectionRegistry, createWebSocketClient } from '../../packages/http/src/websocket.js';
import {
  createEventBusStore,
  createJobLedger,
  createMemoryEventBusStore,
  createMemoryJobLedger,
  withIdempotency,
} from '../../packages/jobs/src/index.js';
import { createMcpServer, dynamoMcpStore, memoryMcpStore, mountMcp } from '../../packages/mcp/src/index.js';
import {
  createDynamoRateLimiter,
  createMemoryRateLimiter,
  rateLimitMiddleware,
  tokenBucket,
} from '../../packages/ratelimit/src/index.js';
import { Public, SecureApp } from '../../packages/secure/src/index.js';
import { jwtPrincipalResolver } from '../../packages/secure/src/jwt.js';
import { createEventRouter } from '../../packages/streams/src/index.js';
import { createQueueRouter } from '../../packages/streams/src/queue.js';

const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:errors';
const strategy = tokenBucket({ capacity: 5, refillPerSecond: 1 });
const ledger = createJobLedger({ tableName: 'jobs' });

const server = (options: object) =>
  createMcpServer({ name: 'made', version: '1.0.0', ...options }).tool('none', {}, () => '');
const principalResolver = jwtPrincipalResolver({
  issuer: 'https://id.example.com',
  jwksUri: 'https://id.example.com/.well-known/jwks.json',
  audience: ['https://api.example.com'],
});
const notifier = createErrorNotifier({ publish: async () => undefined, topicArn: TOPIC });
const secure = new SecureApp({
  principalResolver,
  log: createLogger({ sinks: [notifier] }),
  observability: { metric: createEmfSink({ namespace: 'Made' }) },
});
mountMcp(secure, server({ store: dynamoMcpStore({ tableName: 'mcp' }), changes: true }), { posture: Public() });
mountMcp(secure, server({ secret: { current: 'only for the snapshots of this repository' } }), {
  posture: Public(),
  path: '/sealed',
});
secure.use(
  rateLimitMiddleware({ limiter: createDynamoRateLimiter({ strategy, onStoreError: 'deny', tableName: 'l' }) }),
);

const app = createApp();
app.use(withIdempotency(ledger));

export const made = [
  app.handleLambda,
  secure.handleLambda,
  createHttpRouter(),
  createEventRouter(),
  createQueueRouter(),
  createEventBusStore({ tableName: 'events' }),
  createMemoryEventBusStore(),
  createMemoryJobLedger(),
  createMemoryRateLimiter({ strategy }),
  createMemoryConnectionRegistry(),
  createWebSocketClient('https://made.execute-api.eu-west-1.amazonaws.com/prod'),
  memoryMcpStore(),
];
