/** The least share of the non-equivalent mutants that tests must kill: packages that guard, store or deliver. */
export const STRICT_SHARE = 0.95;
/** The same for all other packages. */
export const SHARE = 0.9;

/** Packages that guard, store or deliver. */
export const STRICT = new Set([
  'appsync',
  'connections',
  'core',
  'dispatch',
  'durable',
  'dynamo',
  'http',
  'jobs',
  'mcp',
  'microvm',
  'objectstore',
  'ratelimit',
  'secure',
  'streams',
  'triggers',
  'vectors',
]);

/** Tests of other packages, as paths below packages/, that are also run for the mutants of a package. */
export const ALSO: Readonly<Record<string, readonly string[]>> = {
  appsync: ['secure/test/'],
  core: ['http/test/', 'streams/test/', 'secure/test/'],
  dispatch: ['secure/test/', 'streams/test/'],
  dynamo: ['jobs/test/', 'connections/test/'],
  http: ['secure/test/'],
  secure: ['triggers/test/lattice.test.ts'],
  streams: ['triggers/test/'],
  testkit: ['mcp/test/test-client.test.ts', 'vectors/test/'],
};

/** A mutant that no test can detect, because the program does the same. */
export interface Equivalent {
  readonly file: string;
  readonly operator: string;
  /** The line of the source, without indentation. */
  readonly source: string;
  readonly replacement: string;
  /** The reason why the program does the same. */
  readonly reason: string;
}
