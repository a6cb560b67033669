// The dependencies that the architecture allows, as data. Each line is a decision about the architecture.

/** Packages without external dependencies at run time, except the peers below. */
export const CLOSED_PACKAGES: readonly string[] = [
  '@sallyport/core',
  '@sallyport/dispatch',
  '@sallyport/http',
  '@sallyport/appsync',
  '@sallyport/streams',
  '@sallyport/triggers',
  '@sallyport/secure',
];

/** The workspace packages that a package may depend on at run time. A package that is not listed is unrestricted. */
export const WORKSPACE_DEPENDENCIES: Readonly<Record<string, readonly string[]>> = {
  '@sallyport/core': [],
  '@sallyport/dispatch': ['core', 'http', 'appsync', 'streams'],
  '@sallyport/http': ['core'],
  '@sallyport/appsync': ['core', 'http'],
  '@sallyport/streams': ['core'],
  '@sallyport/triggers': ['core', 'streams'],
  '@sallyport/secure': ['core', 'http', 'appsync', 'streams', 'dispatch'],
  '@sallyport/dynamo': ['core'],
  '@sallyport/mcp': ['core', 'dynamo', 'http', 'secure'],
  '@sallyport/ratelimit': ['core', 'dynamo', 'http'],
  '@sallyport/jobs': ['core', 'dynamo'],
  '@sallyport/connections': ['core', 'dynamo', 'http'],
  '@sallyport/contract': ['core'],
  '@sallyport/otel': ['core'],
  '@sallyport/objectstore': ['core'],
  '@sallyport/parameters': ['core'],
  // Its entry `/testing` runs executions on the service of the test kit.
  '@sallyport/durable': ['core', 'testkit'],
  '@sallyport/vectors': ['core'],
  '@sallyport/microvm': ['core', 'dynamo', 'secure'],
  // It builds sample events, and is never part of a function.
  '@sallyport/bundle': ['contract', 'core', 'testkit', 'triggers'],
  // Names and shapes of the other packages come from their entries `/schema`, which import nothing.
  '@sallyport/constructs': [
    'bundle',
    'contract',
    'core',
    'http',
    'streams',
    'jobs',
    'ratelimit',
    'mcp',
    'connections',
    'objectstore',
    'parameters',
    'vectors',
    'microvm',
  ],
  '@sallyport/migrate': ['core'],
  // It runs in browsers: it needs no other package.
  '@sallyport/client': [],
  'create-sallyport': [],
  // It sends sample events, and is never part of a function.
  '@sallyport/local': ['contract', 'core', 'dispatch', 'testkit', 'triggers'],
  // It loads the packages of its commands at run time, if they are installed.
  '@sallyport/cli': ['contract', 'core', 'bundle', 'local'],
};

/** Entries that reach less of the workspace than their package depends on. */
export const LEAN_ENTRIES: Readonly<Record<string, readonly string[]>> = {
  '@sallyport/dispatch': ['core'],
};

/** Peers that only some entries of a package may reach. Every AWS client is an optional peer: applications choose its version. */
export const OPTIONAL_PEERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  '@sallyport/http': { '@aws-sdk/client-apigatewaymanagementapi': ['./websocket'] },
  '@sallyport/streams': {
    '@aws-sdk/client-eventbridge': ['./send'],
    '@aws-sdk/client-kinesis': ['./send'],
    '@aws-sdk/client-sns': ['./error-topic', './send'],
    '@aws-sdk/client-sqs': ['./send'],
  },
  '@sallyport/triggers': {
    '@aws-sdk/client-codedeploy': ['.', './catalogue', './testing'],
    '@aws-sdk/client-codepipeline': ['.', './catalogue', './testing'],
    '@aws-sdk/client-config-service': ['.', './catalogue', './testing'],
    '@aws-sdk/client-sfn': ['.', './catalogue', './testing'],
  },
  '@sallyport/vectors': { '@aws-sdk/client-bedrock-runtime': ['.'], '@aws-sdk/client-s3vectors': ['.'] },
  '@sallyport/parameters': {
    '@aws-sdk/client-appconfigdata': ['.'],
    '@aws-sdk/client-secrets-manager': ['.'],
    '@aws-sdk/client-ssm': ['.'],
  },
  '@sallyport/microvm': { '@aws-sdk/client-lambda-microvms': ['.'] },
  '@sallyport/client': {
    '@aws-sdk/client-lambda': ['./invoke'],
    '@cfworker/json-schema': ['./validate'],
    '@smithy/signature-v4': ['./sigv4'],
  },
};

/** Packages whose modules may import an AWS client, always lazily. */
export const CLIENT_OWNERS: readonly string[] = [
  '@sallyport/http',
  '@sallyport/streams',
  '@sallyport/triggers',
  '@sallyport/dynamo',
  '@sallyport/mcp',
  '@sallyport/ratelimit',
  '@sallyport/jobs',
  '@sallyport/connections',
  '@sallyport/durable',
  '@sallyport/objectstore',
  '@sallyport/parameters',
  '@sallyport/vectors',
  '@sallyport/microvm',
  '@sallyport/client',
];

/** Packages for tests, for a developer's machine and for deployments; other packages must not reach them at run time. */
export const TEST_PACKAGES: readonly string[] = [
  '@sallyport/bundle',
  '@sallyport/cli',
  '@sallyport/constructs',
  '@sallyport/testkit',
  '@sallyport/contract',
  '@sallyport/local',
  '@sallyport/migrate',
  'create-sallyport',
];

/**
 * Modules that must be imported through a subpath. The root of the CDK has the types of every service: `tsc` on one construct takes
 * 614 MB with it and 195 MB with the subpaths, and a start 0.3 s less.
 */
export const SUBPATHS_ONLY: readonly string[] = ['aws-cdk-lib'];

/** The only entries of another package that a package may reach. */
export const ENTRIES_ONLY: Readonly<Record<string, RegExp>> = {
  '@sallyport/constructs':
    /^@sallyport\/(?:bundle|contract\/service|core(?:\/options|\/internal|\/observability)?|mcp\/routes|[a-z]+\/schema)$/,
};

/** Files of private tools and of tests that import files of a package that no entry exports: the imported files, by the importing file. */
export const SHARED_FILES: Readonly<Record<string, string | readonly string[]>> = {
  // One Runtime API server: for the environments of a local run, and for functions under AWS's runtime client in tests.
  'tools/lambda-runtime/src/invocation-queue.ts': 'packages/local/src/internal/runtime/api.ts',
  // The calls of the packages are recorded with the test servers of those packages, which the constructs do not depend on.
  'packages/constructs/test/lab/iam/senders.ts': 'packages/durable/src/start.ts',
  'packages/constructs/test/lab/iam/drives.ts': [
    'tools/dynamodb-local/src/index.ts',
    'packages/microvm/test/support/harness.ts',
    'packages/microvm/test/support/wire.ts',
    'packages/objectstore/test/support/s3.ts',
    'packages/parameters/test/support.ts',
    'packages/vectors/test/support/wire.ts',
  ],
  // The examples are edited and deployed to a model: they depend on the constructs, not the reverse.
  'packages/constructs/test/lab/updates/notes.ts': 'examples/notes/infra/notes-stack.ts',
  'packages/constructs/test/lab/updates/sandbox.ts': 'examples/sandbox/infra/sandbox-stack.ts',
  // The event of one example reaches the other.
  'examples/digest/test/digest.test.ts': 'examples/notes/test/support.ts',
  // The same judges compare roles, stacks and edits of constructs and of templates; no release contains them.
  'packages/constructs/test/permissions.test.ts': 'packages/create-sallyport/test/support/projects.ts',
  'packages/create-sallyport/test/support/judge-stack.ts': 'packages/constructs/test/lab/index.ts',
  'packages/create-sallyport/test/support/judge-updates.ts': 'packages/constructs/test/lab/index.ts',
  'packages/create-sallyport/test/updates.test.ts': 'packages/constructs/test/lab/index.ts',
};

export function isAwsClient(specifier: string): boolean {
  return /^@(?:aws-sdk|smithy|aws)\//.test(specifier);
}
