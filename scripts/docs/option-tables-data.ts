import { APPSYNC_OPTION_KINDS } from '../../packages/appsync/src/surface/appsync-surface.js';
import { CONNECTION_REGISTRY_OPTIONS } from '../../packages/connections/src/registry/dynamo-registry.js';
import { CHALLENGE_EDGE_PROPS } from '../../packages/constructs/src/edge/challenge-edge.js';
import { BUNDLE_FUNCTION_PROPS } from '../../packages/constructs/src/function/bundle-function.js';
import { CANARY_PROPS } from '../../packages/constructs/src/function/canary.js';
import { SERVICE_ALARMS_PROPS } from '../../packages/constructs/src/function/service-alarms.js';
import { SERVICE_FUNCTION_PROPS } from '../../packages/constructs/src/function/service-function.js';
import { EVENT_CHANNELS_PROPS } from '../../packages/constructs/src/graphql/event-channels.js';
import { GRAPHQL_API_PROPS } from '../../packages/constructs/src/graphql/graphql-api.js';
import { ALB_TARGET_PROPS } from '../../packages/constructs/src/http/alb-target.js';
import { API_DOMAIN_PROPS } from '../../packages/constructs/src/http/api-domain.js';
import { FUNCTION_URL_PROPS } from '../../packages/constructs/src/http/function-url.js';
import { HTTP_API_PROPS } from '../../packages/constructs/src/http/http-api.js';
import { LAMBDA_AUTHORIZER_PROPS } from '../../packages/constructs/src/http/lambda-authorizer.js';
import { REST_API_PROPS } from '../../packages/constructs/src/http/rest-api.js';
import { WEB_SOCKET_API_PROPS } from '../../packages/constructs/src/http/websocket-api.js';
import { AGENT_CORE_TARGET_PROPS } from '../../packages/constructs/src/mcp/agent-core-target.js';
import { MCP_SERVER_PROPS } from '../../packages/constructs/src/mcp/mcp-server.js';
import { MICROVM_CONTROLLER_PROPS } from '../../packages/constructs/src/microvm/microvm-controller.js';
import { MICROVM_IMAGE_PROPS } from '../../packages/constructs/src/microvm/microvm-image.js';
import { STATE_TABLE_PROPS } from '../../packages/constructs/src/state/state-table.js';
import { OBJECT_BUCKET_PROPS } from '../../packages/constructs/src/storage/object-bucket.js';
import { VECTOR_INDEX_PROPS } from '../../packages/constructs/src/storage/vector-index.js';
import { VERSIONED_ARTIFACT_BUCKET_PROPS } from '../../packages/constructs/src/storage/versioned-artifact-bucket.js';
import { COGNITO_TRIGGER_PROPS } from '../../packages/constructs/src/triggers/cognito-trigger.js';
import { DATA_STREAM_PROPS } from '../../packages/constructs/src/triggers/data-stream.js';
import { ERROR_NOTIFICATIONS_PROPS } from '../../packages/constructs/src/triggers/error-notifications.js';
import { EVENT_BUS_PROPS } from '../../packages/constructs/src/triggers/event-bus.js';
import { EVENT_RULE_TRIGGER_PROPS } from '../../packages/constructs/src/triggers/event-rule-trigger.js';
import { FIREHOSE_TRANSFORM_PROPS } from '../../packages/constructs/src/triggers/firehose-transform.js';
import { KAFKA_TRIGGER_PROPS } from '../../packages/constructs/src/triggers/kafka-trigger.js';
import { LOG_DESTINATION_PROPS } from '../../packages/constructs/src/triggers/log-destination.js';
import { LOG_SUBSCRIPTION_PROPS } from '../../packages/constructs/src/triggers/log-subscription.js';
import { QUEUE_TRIGGER_PROPS } from '../../packages/constructs/src/triggers/queue-trigger.js';
import { S3_TRIGGER_PROPS } from '../../packages/constructs/src/triggers/s3-trigger.js';
import { SERVICE_QUEUE_PROPS } from '../../packages/constructs/src/triggers/service-queue.js';
import {
  STREAM_TRIGGER_PROPS,
  TABLE_STREAM_TRIGGER_PROPS,
} from '../../packages/constructs/src/triggers/stream-triggers.js';
import { TOPIC_TRIGGER_PROPS } from '../../packages/constructs/src/triggers/topic-trigger.js';
import { SERVICE_WIRING_PROPS } from '../../packages/constructs/src/wiring/service-wiring.js';
import { RUN_OPTIONS as CONTRACT_RUN_OPTIONS } from '../../packages/contract/src/run/run.js';
import { EMF_SINK_OPTIONS } from '../../packages/core/src/observability/emf-sink.js';
import { ERROR_NOTIFIER_OPTIONS } from '../../packages/core/src/observability/error-notifier.js';
import { LOGGER_OPTIONS } from '../../packages/core/src/observability/logger.js';
import { FORM_LIMITS } from '../../packages/core/src/request/form.js';
import { SANITIZER_POLICY } from '../../packages/core/src/sanitize/policy.js';
import { APP_OPTIONS } from '../../packages/dispatch/src/container/app.js';
import { DISPATCHER_OPTIONS } from '../../packages/dispatch/src/dispatcher.js';
import { BIND_SPEC } from '../../packages/http/src/bind/contract.js';
import { CORS_KINDS } from '../../packages/http/src/pipeline/cors.js';
import { HOOK_OPTIONS } from '../../packages/http/src/pipeline/hooks.js';
import { TIMEOUT_OPTIONS } from '../../packages/http/src/pipeline/timeout.js';
import { CACHE_CONTROL_OPTIONS } from '../../packages/http/src/responses/caching.js';
import { SECURE_HEADERS_OPTIONS } from '../../packages/http/src/responses/secure-headers.js';
import { COOKIE_OPTIONS } from '../../packages/http/src/responses/set-cookie.js';
import { SSE_OPTIONS } from '../../packages/http/src/responses/sse.js';
import { HTTP_ROUTER_OPTIONS } from '../../packages/http/src/surface/http-router.js';
import { ROUTE_OPTIONS } from '../../packages/http/src/surface/http-verbs.js';
import { GROUP_OPTIONS } from '../../packages/http/src/surface/route-group.js';
import { MOUNT_HANDLER_OPTIONS } from '../../packages/http/src/web/mount-handler.js';
import { BROADCAST_OPTIONS } from '../../packages/http/src/websocket/broadcast.js';
import { CLIENT_OPTIONS } from '../../packages/http/src/websocket/client.js';
import { REGISTRY_OPTIONS } from '../../packages/http/src/websocket/registry.js';
import { IDEMPOTENT_HANDLER_OPTIONS } from '../../packages/jobs/src/idempotency/idempotent-handler.js';
import { RUN_OPTIONS as IDEMPOTENT_RUN_OPTIONS } from '../../packages/jobs/src/idempotency/run-idempotent.js';
import { IDEMPOTENCY_OPTIONS } from '../../packages/jobs/src/idempotency/with-idempotency.js';
import { LEASE_OPTIONS, SLOT_OPTIONS } from '../../packages/jobs/src/leases/with-lease.js';
import { LEDGER_OPTIONS } from '../../packages/jobs/src/ledger/create-job-ledger.js';
import { MEMORY_LEDGER_OPTIONS } from '../../packages/jobs/src/ledger/memory-ledger.js';
import { REWRITE_OPTIONS } from '../../packages/mcp/src/agentcore/interception.js';
import { AGENT_CORE_INTERCEPTOR_OPTIONS } from '../../packages/mcp/src/agentcore/interceptor.js';
import { AGENT_CORE_TOOLS_OPTIONS } from '../../packages/mcp/src/agentcore/tools.js';
import { FACADE_CONFIG } from '../../packages/mcp/src/facade/config.js';
import { MOUNT_MCP_OPTIONS } from '../../packages/mcp/src/http/mount.js';
import { AUTHORIZE_RESPONSE_OPTIONS } from '../../packages/mcp/src/oauth/authorize.js';
import { BEARER_OPTIONS } from '../../packages/mcp/src/oauth/bearer.js';
import { CLIENT_METADATA_LOADER_OPTIONS } from '../../packages/mcp/src/oauth/client-metadata.js';
import { AUTHORIZATION_CODE_STORE_OPTIONS } from '../../packages/mcp/src/oauth/codes.js';
import { MCP_DISCOVERY_OPTIONS, METADATA_HANDLER_OPTIONS } from '../../packages/mcp/src/oauth/discovery.js';
import { JWT_BEARER_OPTIONS } from '../../packages/mcp/src/oauth/jwt-validator.js';
import { AUTHORIZATION_SERVER_OPTIONS, PROTECTED_RESOURCE_OPTIONS } from '../../packages/mcp/src/oauth/metadata.js';
import { REFRESH_TOKEN_STORE_OPTIONS } from '../../packages/mcp/src/oauth/refresh-tokens.js';
import { REGISTRATION_HANDLER_OPTIONS, REGISTRATION_POLICY } from '../../packages/mcp/src/oauth/registration.js';
import { STATIC_BEARER_OPTIONS } from '../../packages/mcp/src/oauth/static-validator.js';
import { TOKEN_HANDLER_OPTIONS } from '../../packages/mcp/src/oauth/token-handler.js';
import { MCP_SERVER_OPTIONS } from '../../packages/mcp/src/server/options.js';
import { DYNAMO_STORE_OPTIONS } from '../../packages/mcp/src/store/dynamo-store.js';
import { MEMORY_STORE_OPTIONS } from '../../packages/mcp/src/store/memory-store.js';
import { CONTROLLER_OPTIONS, INVOKE_KINDS } from '../../packages/microvm/src/controller/options.js';
import { HOOKS_OPTIONS } from '../../packages/microvm/src/hooks/hooks.js';
import { AWS_PROVIDER_OPTIONS } from '../../packages/microvm/src/provider/aws-provider.js';
import { HTTPS_TRANSPORT_OPTIONS } from '../../packages/microvm/src/provider/https-transport.js';
import { MICROVM_REGISTRY_OPTIONS } from '../../packages/microvm/src/registry/dynamo-registry.js';
import { MOUNT_MICROVM_OPTIONS } from '../../packages/microvm/src/routes/mount.js';
import { FAKE_PROVIDER_OPTIONS } from '../../packages/microvm/src/testing/fake-provider.js';
import { MIGRATION_OPTIONS } from '../../packages/migrate/src/plan/plan-migration.js';
import { UPLOAD_GRANTS_OPTIONS } from '../../packages/objectstore/src/grants/grants.js';
import { S3_STORE_OPTIONS as OBJECT_STORE_OPTIONS } from '../../packages/objectstore/src/store/s3-store.js';
import { DYNAMO_LIMITER_OPTIONS } from '../../packages/ratelimit/src/limiter/dynamo-options.js';
import { MEMORY_LIMITER_OPTIONS } from '../../packages/ratelimit/src/limiter/memory-limiter.js';
import { SOURCE_IP_OPTIONS } from '../../packages/ratelimit/src/middleware/identify.js';
import { MIDDLEWARE_OPTIONS, POLICY_OPTIONS } from '../../packages/ratelimit/src/middleware/middleware.js';
import { FIXED_OPTIONS } from '../../packages/ratelimit/src/strategies/fixed-windows.js';
import { SLIDING_OPTIONS } from '../../packages/ratelimit/src/strategies/sliding-window.js';
import { BUCKET_OPTIONS } from '../../packages/ratelimit/src/strategies/token-bucket.js';
import { SECURE_OPTIONS } from '../../packages/secure/src/options.js';
import { CONNECTION_OPTIONS } from '../../packages/secure/src/resolvers/authorizers/connection.js';
import {
  APPSYNC_OPTIONS,
  IAM_OPTIONS,
  LATTICE_OPTIONS,
} from '../../packages/secure/src/resolvers/authorizers/identities.js';
import { PRINCIPAL_OPTIONS } from '../../packages/secure/src/resolvers/jwt/options.js';
import { COGNITO_OPTIONS } from '../../packages/secure/src/resolvers/jwt/resolver.js';
import { SHARED_SECRET_OPTIONS } from '../../packages/secure/src/resolvers/shared-secret.js';
import { SECURE_GROUP_OPTIONS, SECURE_ROUTE_OPTIONS } from '../../packages/secure/src/routes.js';
import { ERROR_TOPIC_OPTIONS } from '../../packages/streams/src/observability/error-topic.js';
import { KINESIS_RECORD_INPUT } from '../../packages/streams/src/producer/kinesis-record.js';
import { EVENT_ROUTER_OPTION_KINDS } from '../../packages/streams/src/router/options.js';
import { QUEUE_ROUTER_OPTIONS } from '../../packages/streams/src/router/queue-router.js';
import { SELECTOR } from '../../packages/streams/src/sources/event-bus.js';
import { STREAM_OPTIONS } from '../../packages/streams/src/sources/kinesis.js';
import { QUEUE_OPTIONS } from '../../packages/streams/src/sources/queue.js';
import { ASYNC_ENGINE_OPTIONS } from '../../packages/testkit/src/engines/async.js';
import { QUEUE_ENGINE_OPTIONS } from '../../packages/testkit/src/engines/queue.js';
import { SHARD_ENGINE_OPTIONS } from '../../packages/testkit/src/engines/shard.js';
import { LAMBDA_OPTIONS, TEST_ENV_OPTIONS } from '../../packages/testkit/src/env/env.js';
import { FAKE_CLIENT_OPTIONS, FAKE_HANDLER_OPTIONS } from '../../packages/testkit/src/fakes/fakes.js';
import { INTERLEAVE_OPTIONS } from '../../packages/testkit/src/interleave/interleave.js';
import { RECORDER_OPTIONS } from '../../packages/testkit/src/recorder/recorder.js';
import { ASYNC_SIMULATION } from '../../packages/testkit/src/simulate/async.js';
import { BATCH_JOB_SIMULATION } from '../../packages/testkit/src/simulate/models/batch-job.js';
import { BLOCKING_SIMULATION } from '../../packages/testkit/src/simulate/models/blocking.js';
import { CUSTOM_RESOURCE_SIMULATION } from '../../packages/testkit/src/simulate/models/custom-resource.js';
import { FIREHOSE_SIMULATION } from '../../packages/testkit/src/simulate/models/firehose.js';
import { KAFKA_SIMULATION } from '../../packages/testkit/src/simulate/models/kafka.js';
import { ROTATION_SIMULATION } from '../../packages/testkit/src/simulate/models/rotation.js';
import { QUEUE_SIMULATION } from '../../packages/testkit/src/simulate/queue.js';
import { STREAM_SIMULATION } from '../../packages/testkit/src/simulate/stream.js';
import { TOKEN_ISSUER_OPTIONS, TOKEN_OPTIONS } from '../../packages/testkit/src/tokens/issuer.js';
import {
  REQUEST_AUTHORIZER_OPTIONS,
  TOKEN_AUTHORIZER_OPTIONS,
} from '../../packages/triggers/src/kinds/authorizer-token.js';
import { CUSTOM_RESOURCE_OPTIONS } from '../../packages/triggers/src/kinds/custom-resource.js';
import { DIRECT_INVOKE_OPTIONS, INVOKE_OPTIONS } from '../../packages/triggers/src/kinds/invoke.js';
import { KAFKA_TRIGGER_OPTIONS } from '../../packages/triggers/src/kinds/kafka.js';
import { LOGS_TRIGGER_OPTIONS } from '../../packages/triggers/src/kinds/logs.js';
import { SES_TRIGGER_OPTIONS } from '../../packages/triggers/src/kinds/ses.js';
import { LOCAL_EMBEDDER_OPTIONS } from '../../packages/vectors/src/embedding/local-embedder.js';
import { TITAN_OPTIONS } from '../../packages/vectors/src/embedding/titan.js';
import { SEMANTIC_INDEX_OPTIONS } from '../../packages/vectors/src/index/semantic-index.js';
import { LOCAL_STORE_OPTIONS } from '../../packages/vectors/src/local/local-store.js';
import { S3_STORE_OPTIONS } from '../../packages/vectors/src/store/s3-store.js';
import type { OptionTable } from './option-tables.js';

/** Interfaces that options of containers and resolvers inherit. */
const PIPELINE = ['packages/http/src/pipeline/options.ts', 'PipelineOptions'] as const;
const OPEN_PIPELINE = ['packages/http/src/pipeline/options.ts', 'OpenPipelineOptions'] as const;
const EVENTS = ['packages/streams/src/router/options.ts', 'EventRouterOptions'] as const;
const APPSYNC = ['packages/appsync/src/surface/appsync-surface.ts', 'AppSyncOptions'] as const;
const SURFACES = ['packages/dispatch/src/container/options.ts', 'SurfaceOptions'] as const;
const TOKENS = ['packages/secure/src/resolvers/jwt/options.ts', 'JwtVerifierOptions'] as const;
const PARTS = ['packages/jobs/src/internal/input.ts', 'PartOptions'] as const;
const LEDGER_PARTS = ['packages/jobs/src/internal/input.ts', 'LedgerPartOptions'] as const;
const STORE = ['packages/jobs/src/internal/input.ts', 'StoreOptions'] as const;
const HOLD = ['packages/jobs/src/leases/with-lease.ts', 'HoldOptions'] as const;
const WINDOW = ['packages/ratelimit/src/limiter/limiter.ts', 'WindowOptions'] as const;
const DOCUMENTS = ['packages/mcp/src/oauth/metadata.ts', 'ProtectedResourceOptions'] as const;
const CACHING = ['packages/mcp/src/oauth/discovery.ts', 'MetadataHandlerOptions'] as const;
const PRINCIPALS = ['packages/secure/src/resolvers/jwt/options.ts', 'JwtPrincipalOptions'] as const;

function table(
  name: string,
  kinds: OptionTable['kinds'],
  source: string,
  type: string,
  inherits: OptionTable['inherits'] = [],
): OptionTable {
  return { name, kinds, source, type, inherits };
}

/** The tables of options in READMEs, by the README. */
export const OPTION_TABLES: Readonly<Record<string, readonly OptionTable[]>> = {
  'packages/core/README.md': [
    table(
      '@sallyport/core#createLogger',
      LOGGER_OPTIONS.kinds,
      'packages/core/src/observability/logger.ts',
      'LoggerOptions',
    ),
    table(
      '@sallyport/core#createSanitizer',
      SANITIZER_POLICY.kinds,
      'packages/core/src/sanitize/policy.ts',
      'SanitizerPolicy',
    ),
    table(
      '@sallyport/core#createEmfSink',
      EMF_SINK_OPTIONS.kinds,
      'packages/core/src/observability/emf-sink.ts',
      'EmfSinkOptions',
    ),
    table(
      '@sallyport/core#createErrorNotifier',
      ERROR_NOTIFIER_OPTIONS.kinds,
      'packages/core/src/observability/error-notifier.ts',
      'ErrorNotifierOptions',
    ),
  ],
  'packages/http/README.md': [
    table('@sallyport/http#get', ROUTE_OPTIONS.kinds, 'packages/http/src/surface/http-verbs.ts', 'RouteOptions'),
    table('@sallyport/http#bodyForm', FORM_LIMITS.kinds, 'packages/core/src/request/form.ts', 'FormLimits'),
    table('@sallyport/http#group', GROUP_OPTIONS.kinds, 'packages/http/src/surface/route-group.ts', 'GroupOptions'),
    table('@sallyport/http#hooks', HOOK_OPTIONS.kinds, 'packages/http/src/pipeline/hooks.ts', 'HttpHooks'),
    table(
      '@sallyport/http#secureHeaders',
      SECURE_HEADERS_OPTIONS.kinds,
      'packages/http/src/responses/secure-headers.ts',
      'SecureHeadersOptions',
    ),
    table(
      '@sallyport/http#createHttpRouter',
      HTTP_ROUTER_OPTIONS.kinds,
      'packages/http/src/surface/http-router.ts',
      'HttpRouterOptions',
    ),
    table('@sallyport/http#bind', BIND_SPEC.kinds, 'packages/http/src/bind/contract.ts', 'BindSpec'),
    table('@sallyport/http#cors', CORS_KINDS, 'packages/http/src/pipeline/cors.ts', 'CorsOptions'),
    table(
      '@sallyport/http#cacheControl',
      CACHE_CONTROL_OPTIONS.kinds,
      'packages/http/src/responses/caching.ts',
      'CacheControlOptions',
    ),
    table(
      '@sallyport/http#setCookie',
      COOKIE_OPTIONS.kinds,
      'packages/http/src/responses/set-cookie.ts',
      'CookieOptions',
    ),
    table(
      '@sallyport/http#sseEventStream',
      SSE_OPTIONS.kinds,
      'packages/http/src/responses/sse.ts',
      'SseStreamOptions',
    ),
    table(
      '@sallyport/http#timeoutMiddleware',
      TIMEOUT_OPTIONS.kinds,
      'packages/http/src/pipeline/timeout.ts',
      'TimeoutOptions',
    ),
    table(
      '@sallyport/http/web#mountHandler',
      MOUNT_HANDLER_OPTIONS.kinds,
      'packages/http/src/web/mount-handler.ts',
      'MountHandlerOptions',
    ),
    table(
      '@sallyport/http/websocket#createWebSocketClient',
      CLIENT_OPTIONS.kinds,
      'packages/http/src/websocket/client.ts',
      'WebSocketClientOptions',
    ),
    table(
      '@sallyport/http/websocket#broadcast',
      BROADCAST_OPTIONS.kinds,
      'packages/http/src/websocket/broadcast.ts',
      'BroadcastOptions',
    ),
    table(
      '@sallyport/http/websocket#createMemoryConnectionRegistry',
      REGISTRY_OPTIONS.kinds,
      'packages/http/src/websocket/registry.ts',
      'MemoryConnectionRegistryOptions',
    ),
  ],
  'packages/dispatch/README.md': [
    table(
      '@sallyport/dispatch/app#createApp',
      APP_OPTIONS.kinds,
      'packages/dispatch/src/container/app.ts',
      'AppOptions',
      [APPSYNC, EVENTS, PIPELINE, OPEN_PIPELINE, SURFACES],
    ),
    table(
      '@sallyport/dispatch#createDispatcherWith',
      DISPATCHER_OPTIONS.kinds,
      'packages/dispatch/src/dispatcher.ts',
      'DispatcherOptions',
    ),
  ],
  'packages/secure/README.md': [
    table('@sallyport/secure#SecureApp', SECURE_OPTIONS.kinds, 'packages/secure/src/options.ts', 'SecureOptions', [
      APPSYNC,
      EVENTS,
      PIPELINE,
      SURFACES,
    ]),
    table('@sallyport/secure#get', SECURE_ROUTE_OPTIONS.kinds, 'packages/secure/src/routes.ts', 'SecureRouteOptions'),
    table('@sallyport/secure#group', SECURE_GROUP_OPTIONS.kinds, 'packages/secure/src/routes.ts', 'SecureGroupOptions'),
    table(
      '@sallyport/secure/jwt#jwtPrincipalResolver',
      PRINCIPAL_OPTIONS.kinds,
      'packages/secure/src/resolvers/jwt/options.ts',
      'JwtPrincipalOptions',
      [TOKENS],
    ),
    table(
      '@sallyport/secure/jwt#cognitoPrincipalResolver',
      COGNITO_OPTIONS.kinds,
      'packages/secure/src/resolvers/jwt/resolver.ts',
      'CognitoPrincipalOptions',
      [TOKENS, PRINCIPALS],
    ),
    table(
      '@sallyport/secure/shared-secret#sharedSecretPrincipalResolver',
      SHARED_SECRET_OPTIONS.kinds,
      'packages/secure/src/resolvers/shared-secret.ts',
      'SharedSecretOptions',
    ),
    table(
      '@sallyport/secure/authorizers#iamPrincipal',
      IAM_OPTIONS.kinds,
      'packages/secure/src/resolvers/authorizers/identities.ts',
      'IamPrincipalOptions',
    ),
    table(
      '@sallyport/secure/authorizers#appSyncIdentityPrincipal',
      APPSYNC_OPTIONS.kinds,
      'packages/secure/src/resolvers/authorizers/identities.ts',
      'AppSyncIdentityOptions',
    ),
    table(
      '@sallyport/secure/authorizers#latticeIdentityPrincipal',
      LATTICE_OPTIONS.kinds,
      'packages/secure/src/resolvers/authorizers/identities.ts',
      'InternalRolesOptions',
    ),
    table(
      '@sallyport/secure/authorizers#connectionPrincipal',
      CONNECTION_OPTIONS.kinds,
      'packages/secure/src/resolvers/authorizers/connection.ts',
      'ConnectionPrincipalOptions',
    ),
  ],
  'packages/streams/README.md': [
    table(
      '@sallyport/streams#createEventRouter',
      EVENT_ROUTER_OPTION_KINDS,
      'packages/streams/src/router/options.ts',
      'EventRouterOptions',
    ),
    table(
      '@sallyport/streams/queue#createQueueRouter',
      QUEUE_ROUTER_OPTIONS.kinds,
      'packages/streams/src/router/queue-router.ts',
      'QueueRouterOptions',
    ),
    table('@sallyport/streams#queue', QUEUE_OPTIONS.kinds, 'packages/streams/src/sources/queue.ts', 'QueueOptions'),
    table(
      '@sallyport/streams#kinesis',
      STREAM_OPTIONS.kinds,
      'packages/streams/src/sources/kinesis.ts',
      'StreamOptions',
    ),
    table(
      '@sallyport/streams#eventBus',
      SELECTOR.kinds,
      'packages/streams/src/sources/event-bus.ts',
      'EventBusSelector',
    ),
    table(
      '@sallyport/streams#createKinesisJsonRecord',
      KINESIS_RECORD_INPUT.kinds,
      'packages/streams/src/producer/kinesis-record.ts',
      'KinesisJsonRecordInput',
    ),
    table(
      '@sallyport/streams/error-topic#createErrorTopicPublish',
      ERROR_TOPIC_OPTIONS.kinds,
      'packages/streams/src/observability/error-topic.ts',
      'ErrorTopicOptions',
    ),
  ],
  'packages/appsync/README.md': [
    table(
      '@sallyport/appsync#AppSyncOptions',
      APPSYNC_OPTION_KINDS,
      'packages/appsync/src/surface/appsync-surface.ts',
      'AppSyncOptions',
    ),
  ],
  'packages/testkit/README.md': [
    table(
      '@sallyport/testkit#createTestEnv',
      TEST_ENV_OPTIONS.kinds,
      'packages/testkit/src/env/env.ts',
      'TestEnvOptions',
    ),
    table(
      '@sallyport/testkit#lambdaContext',
      LAMBDA_OPTIONS.kinds,
      'packages/testkit/src/env/env.ts',
      'LambdaContextOptions',
    ),
    table(
      '@sallyport/testkit#simulate-async',
      ASYNC_SIMULATION.kinds,
      'packages/testkit/src/simulate/async.ts',
      'AsyncSimulation',
      [['packages/testkit/src/engines/async.ts', 'AsyncSettings']],
    ),
    table(
      '@sallyport/testkit#simulate-kafka',
      KAFKA_SIMULATION.kinds,
      'packages/testkit/src/simulate/models/kafka.ts',
      'KafkaSimulation',
    ),
    table(
      '@sallyport/testkit#simulate-firehose',
      FIREHOSE_SIMULATION.kinds,
      'packages/testkit/src/simulate/models/firehose.ts',
      'FirehoseSimulation',
    ),
    table(
      '@sallyport/testkit#simulate-blocking',
      BLOCKING_SIMULATION.kinds,
      'packages/testkit/src/simulate/models/blocking.ts',
      'BlockingSimulation',
    ),
    table(
      '@sallyport/testkit#simulate-batch-job',
      BATCH_JOB_SIMULATION.kinds,
      'packages/testkit/src/simulate/models/batch-job.ts',
      'BatchJobSimulation',
    ),
    table(
      '@sallyport/testkit#simulate-rotation',
      ROTATION_SIMULATION.kinds,
      'packages/testkit/src/simulate/models/rotation.ts',
      'RotationSimulation',
    ),
    table(
      '@sallyport/testkit#simulate-custom-resource',
      CUSTOM_RESOURCE_SIMULATION.kinds,
      'packages/testkit/src/simulate/models/custom-resource.ts',
      'CustomResourceSimulation',
    ),
    table(
      '@sallyport/testkit#createQueueEngine',
      QUEUE_ENGINE_OPTIONS.kinds,
      'packages/testkit/src/engines/queue.ts',
      'QueueEngineOptions',
      [['packages/testkit/src/engines/engine.ts', 'EngineOptions']],
    ),
    table(
      '@sallyport/testkit#createShardEngine',
      SHARD_ENGINE_OPTIONS.kinds,
      'packages/testkit/src/engines/shard.ts',
      'ShardEngineOptions',
      [['packages/testkit/src/engines/engine.ts', 'EngineOptions']],
    ),
    table(
      '@sallyport/testkit#createAsyncEngine',
      ASYNC_ENGINE_OPTIONS.kinds,
      'packages/testkit/src/engines/async.ts',
      'AsyncEngineOptions',
      [['packages/testkit/src/engines/engine.ts', 'EngineOptions']],
    ),
    table(
      '@sallyport/testkit#createRecorder',
      RECORDER_OPTIONS.kinds,
      'packages/testkit/src/recorder/recorder.ts',
      'RecorderOptions',
    ),
    table(
      '@sallyport/testkit#createTokenIssuer',
      TOKEN_ISSUER_OPTIONS.kinds,
      'packages/testkit/src/tokens/issuer.ts',
      'TokenIssuerOptions',
    ),
    table(
      '@sallyport/testkit#issueToken',
      TOKEN_OPTIONS.kinds,
      'packages/testkit/src/tokens/issuer.ts',
      'TokenOptions',
    ),
    table(
      '@sallyport/testkit#simulate-queue',
      QUEUE_SIMULATION.kinds,
      'packages/testkit/src/simulate/queue.ts',
      'QueueSimulation',
      [['packages/testkit/src/engines/queue.ts', 'QueueSettings']],
    ),
    table(
      '@sallyport/testkit#simulate-stream',
      STREAM_SIMULATION.kinds,
      'packages/testkit/src/simulate/stream.ts',
      'StreamSimulation',
      [['packages/testkit/src/engines/shard.ts', 'ShardSettings']],
    ),
    table(
      '@sallyport/testkit#interleave',
      INTERLEAVE_OPTIONS.kinds,
      'packages/testkit/src/interleave/interleave.ts',
      'InterleaveOptions',
    ),
    table(
      '@sallyport/testkit#fakeWebSocketClient',
      FAKE_CLIENT_OPTIONS.kinds,
      'packages/testkit/src/fakes/fakes.ts',
      'FakeWebSocketClientOptions',
    ),
    table(
      '@sallyport/testkit#fakeHandler',
      FAKE_HANDLER_OPTIONS.kinds,
      'packages/testkit/src/fakes/fakes.ts',
      'FakeHandlerOptions',
    ),
  ],
  'packages/migrate/README.md': [
    table(
      '@sallyport/migrate#planMigration',
      MIGRATION_OPTIONS.kinds,
      'packages/migrate/src/plan/plan-migration.ts',
      'MigrationOptions',
    ),
  ],
  'packages/contract/README.md': [
    table(
      '@sallyport/contract#runContract',
      CONTRACT_RUN_OPTIONS.kinds,
      'packages/contract/src/run/run.ts',
      'RunOptions',
    ),
  ],
  'packages/jobs/README.md': [
    table(
      '@sallyport/jobs#createJobLedger',
      LEDGER_OPTIONS.kinds,
      'packages/jobs/src/ledger/create-job-ledger.ts',
      'JobLedgerOptions',
      [STORE, PARTS, LEDGER_PARTS],
    ),
    table(
      '@sallyport/jobs#createMemoryJobLedger',
      MEMORY_LEDGER_OPTIONS.kinds,
      'packages/jobs/src/ledger/memory-ledger.ts',
      'MemoryLedgerOptions',
      [PARTS, LEDGER_PARTS],
    ),
    table(
      '@sallyport/jobs#withLease',
      LEASE_OPTIONS.kinds,
      'packages/jobs/src/leases/with-lease.ts',
      'WithLeaseOptions',
      [HOLD],
    ),
    table('@sallyport/jobs#withSlot', SLOT_OPTIONS.kinds, 'packages/jobs/src/leases/with-lease.ts', 'WithSlotOptions', [
      HOLD,
    ]),
    table(
      '@sallyport/jobs#runIdempotent',
      IDEMPOTENT_RUN_OPTIONS.kinds,
      'packages/jobs/src/idempotency/run-idempotent.ts',
      'RunIdempotentOptions',
    ),
    table(
      '@sallyport/jobs#withIdempotency',
      IDEMPOTENCY_OPTIONS.kinds,
      'packages/jobs/src/idempotency/with-idempotency.ts',
      'HttpIdempotencyOptions',
    ),
    table(
      '@sallyport/jobs#idempotentHandler',
      IDEMPOTENT_HANDLER_OPTIONS.kinds,
      'packages/jobs/src/idempotency/idempotent-handler.ts',
      'IdempotentHandlerOptions',
    ),
  ],
  'packages/ratelimit/README.md': [
    table(
      '@sallyport/ratelimit#createDynamoRateLimiter',
      DYNAMO_LIMITER_OPTIONS.kinds,
      'packages/ratelimit/src/limiter/dynamo-options.ts',
      'DynamoRateLimiterOptions',
    ),
    table(
      '@sallyport/ratelimit#createMemoryRateLimiter',
      MEMORY_LIMITER_OPTIONS.kinds,
      'packages/ratelimit/src/limiter/memory-limiter.ts',
      'MemoryRateLimiterOptions',
    ),
    table(
      '@sallyport/ratelimit#rateLimitMiddleware',
      MIDDLEWARE_OPTIONS.kinds,
      'packages/ratelimit/src/middleware/middleware.ts',
      'RateLimitMiddlewareOptions',
    ),
    table(
      '@sallyport/ratelimit#rateLimitPolicy',
      POLICY_OPTIONS.kinds,
      'packages/ratelimit/src/middleware/middleware.ts',
      'RateLimitPolicyOptions',
    ),
    table(
      '@sallyport/ratelimit#bySourceIp',
      SOURCE_IP_OPTIONS.kinds,
      'packages/ratelimit/src/middleware/identify.ts',
      'BySourceIpOptions',
    ),
    table(
      '@sallyport/ratelimit#fixedWindow',
      FIXED_OPTIONS.kinds,
      'packages/ratelimit/src/strategies/fixed-windows.ts',
      'WindowOptions',
      [WINDOW],
    ),
    table(
      '@sallyport/ratelimit#slidingWindow',
      SLIDING_OPTIONS.kinds,
      'packages/ratelimit/src/strategies/sliding-window.ts',
      'SlidingWindowOptions',
      [WINDOW],
    ),
    table(
      '@sallyport/ratelimit#tokenBucket',
      BUCKET_OPTIONS.kinds,
      'packages/ratelimit/src/strategies/token-bucket.ts',
      'TokenBucketOptions',
    ),
  ],
  'packages/mcp/README.md': [
    table(
      '@sallyport/mcp#createMcpServer',
      MCP_SERVER_OPTIONS.kinds,
      'packages/mcp/src/server/options.ts',
      'McpServerOptions',
    ),
    table('@sallyport/mcp#mountMcp', MOUNT_MCP_OPTIONS.kinds, 'packages/mcp/src/http/mount.ts', 'MountMcpOptions'),
    table(
      '@sallyport/mcp/agentcore#agentCoreTools',
      AGENT_CORE_TOOLS_OPTIONS.kinds,
      'packages/mcp/src/agentcore/tools.ts',
      'AgentCoreToolsOptions',
    ),
    table(
      '@sallyport/mcp/agentcore#agentCoreInterceptor',
      AGENT_CORE_INTERCEPTOR_OPTIONS.kinds,
      'packages/mcp/src/agentcore/interceptor.ts',
      'AgentCoreInterceptorOptions',
    ),
    table(
      '@sallyport/mcp/agentcore#rewrite',
      REWRITE_OPTIONS.kinds,
      'packages/mcp/src/agentcore/interception.ts',
      'Rewrite',
    ),
    table(
      '@sallyport/mcp/oauth#createBearerGuard',
      BEARER_OPTIONS.kinds,
      'packages/mcp/src/oauth/bearer.ts',
      'BearerOptions',
    ),
    table(
      '@sallyport/mcp/oauth#jwtBearerValidator',
      JWT_BEARER_OPTIONS.kinds,
      'packages/mcp/src/oauth/jwt-validator.ts',
      'JwtBearerOptions',
      [TOKENS],
    ),
    table(
      '@sallyport/mcp/oauth#staticBearerValidator',
      STATIC_BEARER_OPTIONS.kinds,
      'packages/mcp/src/oauth/static-validator.ts',
      'StaticBearerOptions',
    ),
    table(
      '@sallyport/mcp/oauth#mcpDiscovery',
      MCP_DISCOVERY_OPTIONS.kinds,
      'packages/mcp/src/oauth/discovery.ts',
      'McpDiscoveryOptions',
      [DOCUMENTS, CACHING],
    ),
    table(
      '@sallyport/mcp/oauth#createTokenHandler',
      TOKEN_HANDLER_OPTIONS.kinds,
      'packages/mcp/src/oauth/token-handler.ts',
      'TokenHandlerOptions',
    ),
    table(
      '@sallyport/mcp/oauth#createAuthorizationCodeStore',
      AUTHORIZATION_CODE_STORE_OPTIONS.kinds,
      'packages/mcp/src/oauth/codes.ts',
      'AuthorizationCodeStoreOptions',
    ),
    table(
      '@sallyport/mcp/oauth#createRefreshTokenStore',
      REFRESH_TOKEN_STORE_OPTIONS.kinds,
      'packages/mcp/src/oauth/refresh-tokens.ts',
      'RefreshTokenStoreOptions',
    ),
    table(
      '@sallyport/mcp/oauth#createRegistrationHandler',
      REGISTRATION_HANDLER_OPTIONS.kinds,
      'packages/mcp/src/oauth/registration.ts',
      'RegistrationHandlerOptions',
    ),
    table(
      '@sallyport/mcp/oauth#validateClientRegistration',
      REGISTRATION_POLICY.kinds,
      'packages/mcp/src/oauth/registration.ts',
      'ClientRegistrationPolicy',
    ),
    table(
      '@sallyport/mcp/oauth#createClientMetadataLoader',
      CLIENT_METADATA_LOADER_OPTIONS.kinds,
      'packages/mcp/src/oauth/client-metadata.ts',
      'ClientMetadataLoaderOptions',
    ),
    table(
      '@sallyport/mcp/oauth#createAuthorizeResponse',
      AUTHORIZE_RESPONSE_OPTIONS.kinds,
      'packages/mcp/src/oauth/authorize.ts',
      'AuthorizeResponseOptions',
    ),
    table(
      '@sallyport/mcp/oauth#createProtectedResourceMetadata',
      PROTECTED_RESOURCE_OPTIONS.kinds,
      'packages/mcp/src/oauth/metadata.ts',
      'ProtectedResourceOptions',
    ),
    table(
      '@sallyport/mcp/oauth#createAuthorizationServerMetadata',
      AUTHORIZATION_SERVER_OPTIONS.kinds,
      'packages/mcp/src/oauth/metadata.ts',
      'AuthorizationServerOptions',
    ),
    table(
      '@sallyport/mcp/oauth#createMetadataHandler',
      METADATA_HANDLER_OPTIONS.kinds,
      'packages/mcp/src/oauth/discovery.ts',
      'MetadataHandlerOptions',
    ),
    table(
      '@sallyport/mcp/facade#registerMcpFacade',
      FACADE_CONFIG.kinds,
      'packages/mcp/src/facade/config.ts',
      'FacadeConfig',
    ),
    table(
      '@sallyport/mcp#memoryMcpStore',
      MEMORY_STORE_OPTIONS.kinds,
      'packages/mcp/src/store/memory-store.ts',
      'MemoryMcpStoreOptions',
    ),
    table(
      '@sallyport/mcp#dynamoMcpStore',
      DYNAMO_STORE_OPTIONS.kinds,
      'packages/mcp/src/store/dynamo-store.ts',
      'DynamoMcpStoreOptions',
    ),
  ],
  'packages/connections/README.md': [
    table(
      '@sallyport/connections#createDynamoConnectionRegistry',
      CONNECTION_REGISTRY_OPTIONS.kinds,
      'packages/connections/src/registry/dynamo-registry.ts',
      'DynamoConnectionRegistryOptions',
    ),
  ],
  'packages/triggers/README.md': [
    table(
      '@sallyport/triggers/invoke#directInvoke',
      DIRECT_INVOKE_OPTIONS.kinds,
      'packages/triggers/src/kinds/invoke.ts',
      'DirectInvokeOptions',
    ),
    table(
      '@sallyport/triggers/invoke#invoke',
      INVOKE_OPTIONS.kinds,
      'packages/triggers/src/kinds/invoke.ts',
      'InvokeOptions',
    ),
    table(
      '@sallyport/triggers/authorizer#tokenAuthorizer',
      TOKEN_AUTHORIZER_OPTIONS.kinds,
      'packages/triggers/src/kinds/authorizer-token.ts',
      'TokenAuthorizerOptions',
    ),
    table(
      '@sallyport/triggers/authorizer#requestAuthorizer',
      REQUEST_AUTHORIZER_OPTIONS.kinds,
      'packages/triggers/src/kinds/authorizer-token.ts',
      'RequestAuthorizerOptions',
    ),
    table(
      '@sallyport/triggers/ses#sesTrigger',
      SES_TRIGGER_OPTIONS.kinds,
      'packages/triggers/src/kinds/ses.ts',
      'SesTriggerOptions',
    ),
    table(
      '@sallyport/triggers/kafka#kafkaTrigger',
      KAFKA_TRIGGER_OPTIONS.kinds,
      'packages/triggers/src/kinds/kafka.ts',
      'KafkaTriggerOptions',
    ),
    table(
      '@sallyport/triggers/logs#logsTrigger',
      LOGS_TRIGGER_OPTIONS.kinds,
      'packages/triggers/src/kinds/logs.ts',
      'LogsTriggerOptions',
    ),
    table(
      '@sallyport/triggers/custom-resource#customResource',
      CUSTOM_RESOURCE_OPTIONS.kinds,
      'packages/triggers/src/kinds/custom-resource.ts',
      'CustomResourceOptions',
    ),
  ],
  'packages/microvm/README.md': [
    table(
      '@sallyport/microvm#createMicrovmController',
      CONTROLLER_OPTIONS.kinds,
      'packages/microvm/src/controller/options.ts',
      'MicrovmControllerOptions',
    ),
    table('@sallyport/microvm#invoke', INVOKE_KINDS, 'packages/microvm/src/controller/options.ts', 'InvokeOptions'),
    table(
      '@sallyport/microvm#mountMicrovmController',
      MOUNT_MICROVM_OPTIONS.kinds,
      'packages/microvm/src/routes/mount.ts',
      'MountMicrovmOptions',
    ),
    table(
      '@sallyport/microvm#createDynamoMicrovmRegistry',
      MICROVM_REGISTRY_OPTIONS.kinds,
      'packages/microvm/src/registry/dynamo-registry.ts',
      'DynamoMicrovmRegistryOptions',
    ),
    table(
      '@sallyport/microvm#createAwsMicrovmProvider',
      AWS_PROVIDER_OPTIONS.kinds,
      'packages/microvm/src/provider/aws-provider.ts',
      'AwsMicrovmProviderOptions',
    ),
    table(
      '@sallyport/microvm#createHttpsTransport',
      HTTPS_TRANSPORT_OPTIONS.kinds,
      'packages/microvm/src/provider/https-transport.ts',
      'HttpsTransportOptions',
    ),
    table(
      '@sallyport/microvm/hooks',
      HOOKS_OPTIONS.kinds,
      'packages/microvm/src/hooks/hooks.ts',
      'MicrovmHooksOptions',
    ),
    table(
      '@sallyport/microvm/testing#createFakeMicrovmProvider',
      FAKE_PROVIDER_OPTIONS.kinds,
      'packages/microvm/src/testing/fake-provider.ts',
      'FakeMicrovmProviderOptions',
    ),
  ],
  'packages/constructs/README.md': [
    {
      name: '@sallyport/constructs/function#ServiceFunction',
      kinds: SERVICE_FUNCTION_PROPS.kinds,
      source: 'packages/constructs/src/function/service-function.ts',
      type: 'ServiceFunctionProps',
    },
    {
      name: '@sallyport/constructs/function#bundleFunction',
      kinds: BUNDLE_FUNCTION_PROPS.kinds,
      source: 'packages/constructs/src/function/bundle-function.ts',
      type: 'BundleFunctionProps',
    },
    {
      name: '@sallyport/constructs/function#ServiceFunction.addCanary',
      kinds: CANARY_PROPS.kinds,
      source: 'packages/constructs/src/function/canary.ts',
      type: 'CanaryProps',
    },
    {
      name: '@sallyport/constructs/function#ServiceAlarms',
      kinds: SERVICE_ALARMS_PROPS.kinds,
      source: 'packages/constructs/src/function/service-alarms.ts',
      type: 'ServiceAlarmsProps',
    },
    {
      name: '@sallyport/constructs/triggers#EventBus',
      kinds: EVENT_BUS_PROPS.kinds,
      source: 'packages/constructs/src/triggers/event-bus.ts',
      type: 'EventBusProps',
    },
    {
      name: '@sallyport/constructs/triggers#LogDestination',
      kinds: LOG_DESTINATION_PROPS.kinds,
      source: 'packages/constructs/src/triggers/log-destination.ts',
      type: 'LogDestinationProps',
    },
    {
      name: '@sallyport/constructs/triggers#LogSubscription',
      kinds: LOG_SUBSCRIPTION_PROPS.kinds,
      source: 'packages/constructs/src/triggers/log-subscription.ts',
      type: 'LogSubscriptionProps',
    },
    {
      name: '@sallyport/constructs/storage#VersionedArtifactBucket',
      kinds: VERSIONED_ARTIFACT_BUCKET_PROPS.kinds,
      source: 'packages/constructs/src/storage/versioned-artifact-bucket.ts',
      type: 'VersionedArtifactBucketProps',
    },
    {
      name: '@sallyport/constructs/triggers#ServiceQueue',
      kinds: SERVICE_QUEUE_PROPS.kinds,
      source: 'packages/constructs/src/triggers/service-queue.ts',
      type: 'ServiceQueueProps',
    },
    {
      name: '@sallyport/constructs/triggers#QueueTrigger',
      kinds: QUEUE_TRIGGER_PROPS.kinds,
      source: 'packages/constructs/src/triggers/queue-trigger.ts',
      type: 'QueueTriggerProps',
    },
    {
      name: '@sallyport/constructs/triggers#TableStreamTrigger',
      kinds: TABLE_STREAM_TRIGGER_PROPS.kinds,
      source: 'packages/constructs/src/triggers/stream-triggers.ts',
      type: 'TableStreamTriggerProps',
      inherits: [['packages/constructs/src/triggers/stream-mapping.ts', 'StreamMappingProps']],
    },
    {
      name: '@sallyport/constructs/triggers#StreamTrigger',
      kinds: STREAM_TRIGGER_PROPS.kinds,
      source: 'packages/constructs/src/triggers/stream-triggers.ts',
      type: 'StreamTriggerProps',
      inherits: [['packages/constructs/src/triggers/stream-mapping.ts', 'StreamMappingProps']],
    },
    {
      name: '@sallyport/constructs/triggers#DataStream',
      kinds: DATA_STREAM_PROPS.kinds,
      source: 'packages/constructs/src/triggers/data-stream.ts',
      type: 'DataStreamProps',
    },
    {
      name: '@sallyport/constructs/triggers#TopicTrigger',
      kinds: TOPIC_TRIGGER_PROPS.kinds,
      source: 'packages/constructs/src/triggers/topic-trigger.ts',
      type: 'TopicTriggerProps',
    },
    {
      name: '@sallyport/constructs/triggers#EventRuleTrigger',
      kinds: EVENT_RULE_TRIGGER_PROPS.kinds,
      source: 'packages/constructs/src/triggers/event-rule-trigger.ts',
      type: 'EventRuleTriggerProps',
    },
    {
      name: '@sallyport/constructs/triggers#S3Trigger',
      kinds: S3_TRIGGER_PROPS.kinds,
      source: 'packages/constructs/src/triggers/s3-trigger.ts',
      type: 'S3TriggerProps',
    },
    {
      name: '@sallyport/constructs/triggers#CognitoTrigger',
      kinds: COGNITO_TRIGGER_PROPS.kinds,
      source: 'packages/constructs/src/triggers/cognito-trigger.ts',
      type: 'CognitoTriggerProps',
    },
    {
      name: '@sallyport/constructs/triggers#FirehoseTransform',
      kinds: FIREHOSE_TRANSFORM_PROPS.kinds,
      source: 'packages/constructs/src/triggers/firehose-transform.ts',
      type: 'FirehoseTransformProps',
    },
    {
      name: '@sallyport/constructs/triggers#KafkaTrigger',
      kinds: KAFKA_TRIGGER_PROPS.kinds,
      source: 'packages/constructs/src/triggers/kafka-trigger.ts',
      type: 'KafkaTriggerProps',
    },
    {
      name: '@sallyport/constructs/triggers#ErrorNotifications',
      kinds: ERROR_NOTIFICATIONS_PROPS.kinds,
      source: 'packages/constructs/src/triggers/error-notifications.ts',
      type: 'ErrorNotificationsProps',
    },
    {
      name: '@sallyport/constructs/state#StateTable',
      kinds: STATE_TABLE_PROPS.kinds,
      source: 'packages/constructs/src/state/state-table.ts',
      type: 'StateTableProps',
    },
    {
      name: '@sallyport/constructs/storage#ObjectBucket',
      kinds: OBJECT_BUCKET_PROPS.kinds,
      source: 'packages/constructs/src/storage/object-bucket.ts',
      type: 'ObjectBucketProps',
    },
    {
      name: '@sallyport/constructs/storage#VectorIndex',
      kinds: VECTOR_INDEX_PROPS.kinds,
      source: 'packages/constructs/src/storage/vector-index.ts',
      type: 'VectorIndexProps',
    },
    {
      name: '@sallyport/constructs/microvm#MicrovmController',
      kinds: MICROVM_CONTROLLER_PROPS.kinds,
      source: 'packages/constructs/src/microvm/microvm-controller.ts',
      type: 'MicrovmControllerProps',
    },
    {
      name: '@sallyport/constructs/microvm#MicrovmImage',
      kinds: MICROVM_IMAGE_PROPS.kinds,
      source: 'packages/constructs/src/microvm/microvm-image.ts',
      type: 'MicrovmImageProps',
    },
    {
      name: '@sallyport/constructs/wiring#ServiceWiring',
      kinds: SERVICE_WIRING_PROPS.kinds,
      source: 'packages/constructs/src/wiring/service-wiring.ts',
      type: 'ServiceWiringProps',
    },
    {
      name: '@sallyport/constructs/http#HttpApi',
      kinds: HTTP_API_PROPS.kinds,
      source: 'packages/constructs/src/http/http-api.ts',
      type: 'HttpApiProps',
    },
    {
      name: '@sallyport/constructs/http#RestApi',
      kinds: REST_API_PROPS.kinds,
      source: 'packages/constructs/src/http/rest-api.ts',
      type: 'RestApiProps',
    },
    {
      name: '@sallyport/constructs/http#ApiAuthorization',
      kinds: LAMBDA_AUTHORIZER_PROPS.kinds,
      source: 'packages/constructs/src/http/lambda-authorizer.ts',
      type: 'LambdaAuthorizerProps',
    },
    {
      name: '@sallyport/constructs/http#FunctionUrl',
      kinds: FUNCTION_URL_PROPS.kinds,
      source: 'packages/constructs/src/http/function-url.ts',
      type: 'FunctionUrlProps',
    },
    {
      name: '@sallyport/constructs/http#WebSocketApi',
      kinds: WEB_SOCKET_API_PROPS.kinds,
      source: 'packages/constructs/src/http/websocket-api.ts',
      type: 'WebSocketApiProps',
    },
    {
      name: '@sallyport/constructs/http#AlbTarget',
      kinds: ALB_TARGET_PROPS.kinds,
      source: 'packages/constructs/src/http/alb-target.ts',
      type: 'AlbTargetProps',
    },
    {
      name: '@sallyport/constructs/http#ApiDomain',
      kinds: API_DOMAIN_PROPS.kinds,
      source: 'packages/constructs/src/http/api-domain.ts',
      type: 'ApiDomainProps',
    },
    {
      name: '@sallyport/constructs/graphql#GraphqlApi',
      kinds: GRAPHQL_API_PROPS.kinds,
      source: 'packages/constructs/src/graphql/graphql-api.ts',
      type: 'GraphqlApiProps',
    },
    {
      name: '@sallyport/constructs/graphql#EventChannels',
      kinds: EVENT_CHANNELS_PROPS.kinds,
      source: 'packages/constructs/src/graphql/event-channels.ts',
      type: 'EventChannelsProps',
    },
    {
      name: '@sallyport/constructs/mcp#McpServer',
      kinds: MCP_SERVER_PROPS.kinds,
      source: 'packages/constructs/src/mcp/mcp-server.ts',
      type: 'McpServerProps',
    },
    {
      name: '@sallyport/constructs/mcp#AgentCoreTarget',
      kinds: AGENT_CORE_TARGET_PROPS.kinds,
      source: 'packages/constructs/src/mcp/agent-core-target.ts',
      type: 'AgentCoreTargetProps',
    },
    {
      name: '@sallyport/constructs/edge#ChallengeEdge',
      kinds: CHALLENGE_EDGE_PROPS.kinds,
      source: 'packages/constructs/src/edge/challenge-edge.ts',
      type: 'ChallengeEdgeProps',
    },
  ],
  'packages/vectors/README.md': [
    {
      name: '@sallyport/vectors#createS3VectorStore',
      kinds: S3_STORE_OPTIONS.kinds,
      source: 'packages/vectors/src/store/s3-store.ts',
      type: 'S3VectorStoreOptions',
    },
    {
      name: '@sallyport/vectors#createTitanEmbedder',
      kinds: TITAN_OPTIONS.kinds,
      source: 'packages/vectors/src/embedding/titan.ts',
      type: 'TitanEmbedderOptions',
    },
    {
      name: '@sallyport/vectors#createSemanticIndex',
      kinds: SEMANTIC_INDEX_OPTIONS.kinds,
      source: 'packages/vectors/src/index/semantic-index.ts',
      type: 'SemanticIndexOptions',
    },
    {
      name: '@sallyport/vectors/local#createLocalVectorStore',
      kinds: LOCAL_STORE_OPTIONS.kinds,
      source: 'packages/vectors/src/local/local-store.ts',
      type: 'LocalVectorStoreOptions',
    },
    {
      name: '@sallyport/vectors/local#createLocalEmbedder',
      kinds: LOCAL_EMBEDDER_OPTIONS.kinds,
      source: 'packages/vectors/src/embedding/local-embedder.ts',
      type: 'LocalEmbedderOptions',
    },
  ],
  'packages/objectstore/README.md': [
    {
      name: '@sallyport/objectstore#createS3ObjectStore',
      kinds: OBJECT_STORE_OPTIONS.kinds,
      source: 'packages/objectstore/src/store/s3-store.ts',
      type: 'S3ObjectStoreOptions',
    },
    {
      name: '@sallyport/objectstore#createUploadGrants',
      kinds: UPLOAD_GRANTS_OPTIONS.kinds,
      source: 'packages/objectstore/src/grants/grants.ts',
      type: 'UploadGrantsOptions',
    },
  ],
};
