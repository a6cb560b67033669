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

/** Which packages of the workspace a package may depend on at run time. A package that is not listed is free. */
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
  '@sallyport/objectstore': ['core'],
  '@sallyport/vectors': ['core'],
  '@sallyport/microvm': ['core', 'dynamo', 'secure'],
  '@sallyport/migrate': ['core'],
  'create-sallyport': [],
  '@sallyport/local': ['core', 'dispatch', 'testkit'],
};

/** Entries that reach less of the workspace than their package depends on. */
export const LEAN_ENTRIES: Readonly<Record<string, readonly string[]>> = {
  '@sallyport/dispatch': ['core'],
};

/** Peers that only some entries of a package may reach. Every AWS client is an optional peer: applications choose its version. */
export const OPTIONAL_PEERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  '@sallyport/secure': { jose: ['./jwt', './jwt-verifier'] },
  '@sallyport/mcp': { jose: ['./oauth'] },
  '@sallyport/http': { '@aws-sdk/client-apigatewaymanagementapi': ['./websocket'] },
  '@sallyport/streams': { '@aws-sdk/client-sns': ['./error-topic'] },
  '@sallyport/vectors': { '@aws-sdk/client-bedrock-runtime': ['.'], '@aws-sdk/client-s3vectors': ['.'] },
  '@sallyport/microvm': { '@aws-sdk/client-lambda-microvms': ['.'] },
};

/** Packages whose modules may import an AWS client, always lazily. */
export const CLIENT_OWNERS: readonly string[] = [
  '@sallyport/http',
  '@sallyport/streams',
  '@sallyport/dynamo',
  '@sallyport/mcp',
  '@sallyport/ratelimit',
  '@sallyport/jobs',
  '@sallyport/connections',
  '@sallyport/objectstore',
  '@sallyport/vectors',
  '@sallyport/microvm',
];

/** Packages that exist for tests and for a developer's machine; nothing else may reach them at run time. */
export const TEST_PACKAGES: readonly string[] = [
  '@sallyport/testkit',
  '@sallyport/contract',
  '@sallyport/local',
  '@sallyport/migrate',
  'create-sallyport',
];

export function isAwsClient(specifier: string): boolean {
  return /^@(?:aws-sdk|smithy|aws)\//.test(specifier);
}
