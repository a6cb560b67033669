/**
 * The wrong usages of both examinations (2026-11-22: fifty; 2026-11-23: fifty and thirteen of the local commands), with the
 * test of each message. `scripts/docs/wrong-usages.test.ts` checks that each place has its text.
 */

/** A wrong usage that the findings describe. */
export interface Described {
  /** Its id in the findings. */
  readonly id: string;
  /** The mistake of the user. */
  readonly usage: string;
  /** The test file that holds the answer. */
  readonly test: string;
  /** A string of that file: the message, or the title of the row. */
  readonly text: string;
}

/** The second examination. The first has its own table, `scripts/lab/newcomer/wrong-usages.ts`, with numbers 1 to 50. */
export const DESCRIBED: readonly Described[] = [
  row(
    'c02',
    'an entry file with a syntax error',
    'packages/constructs/test/wrong-usages.test.ts',
    "'entry with syntax error',\n    'constructs.bundling_failed'",
  ),
  row(
    'c08',
    'an application instead of an inventory',
    'packages/constructs/test/wrong-values.test.ts',
    'got an object (SecureApp), expected an inventory: toInventory(app)',
  ),
  row(
    'c09',
    'a ServiceQueue instead of its queue',
    'packages/constructs/test/wrong-values.test.ts',
    'queue, got an object (ServiceQueue), expected a queue: its .queue',
  ),
  row(
    'c12',
    'a ServiceFunction instead of its function',
    'packages/constructs/test/wrong-values.test.ts',
    'fn, got an object (ServiceFunction), expected a function: its .fn',
  ),
  row(
    'c13',
    'a string as schedule',
    'packages/constructs/test/wrong-values.test.ts',
    'schedule, got "rate(5 minutes)", expected a Schedule, made by Schedule.rate(…) or Schedule.cron(…)',
  ),
  row(
    'c14',
    'the options of cron() as schedule',
    'packages/constructs/test/wrong-values.test.ts',
    'the options of cron() where a schedule of a rule is wanted',
  ),
  row(
    't39',
    'a name of a Cognito trigger that does not exist',
    'packages/triggers/test/cognito.test.ts',
    "'PreSignup'",
  ),
  row(
    't40',
    'an operation without a handler',
    'packages/triggers/test/wrong-usages.test.ts',
    'the handler of "charge" must be a function',
  ),
  row(
    't41',
    'two surfaces of one kind',
    'packages/triggers/test/wrong-usages.test.ts',
    'two surfaces serve s3: register all its handlers with one surface',
  ),
  row(
    't42',
    'an ARN as name of a bucket',
    'packages/triggers/test/wrong-usages.test.ts',
    'a bucket can be registered by its ARN',
  ),
  row(
    't45',
    'a surface that is not called',
    'packages/triggers/test/wrong-usages.test.ts',
    'surface must have serves and serve(): call the function that makes it',
  ),
  row(
    'n49',
    'a field without a type, or a schema of another library',
    'packages/http/test/wrong-fields.test.ts',
    'must be a Standard Schema (version 1) or a map of fields',
  ),
  row(
    'n50',
    'an unknown member of a field',
    'packages/http/test/wrong-fields.test.ts',
    'known are type, name, array, rules',
  ),
  row('v36', 'topK 0, which is the default', 'packages/vectors/test/validators.test.ts', 'topK %p is %d'),
  row(
    'local 1',
    'dev --timout',
    'packages/local/test/command.test.ts',
    'unknown flag --timout (did you mean "timeout"?)',
  ),
  row(
    'local 2',
    'a timeout that is not a number of seconds',
    'packages/local/test/command.test.ts',
    '"timeout" must be a number of seconds from 0.1 to 900',
  ),
  row(
    'local 3',
    'dev --env without a value',
    'packages/local/test/command.test.ts',
    '--env must be NAME=value (got "A")',
  ),
  row(
    'local 4',
    'sallyport.json that is not JSON',
    'packages/local/test/command.test.ts',
    'sallyport.json is not valid JSON',
  ),
  row(
    'local 5',
    'an entry file that does not exist',
    'packages/local/test/command.test.ts',
    'name the entry file, as in sallyport dev src/lambda.ts',
  ),
  row(
    'local 6',
    'a misspelt --scope',
    'packages/local/test/wrong-usages.test.ts',
    'unknown flag --scop (did you mean "scope"?)',
  ),
  row(
    'local 7, N17',
    'send http "/health"',
    'packages/local/test/command-dev.test.ts',
    'an HTTP target must be a method and a path: "GET /health" (got "/health")',
  ),
  row('local 8, N17', 'sallyport frobnicate', 'packages/cli/test/cli.test.ts', 'the command frobnicate does not exist'),
  row(
    'local 9, N18',
    'queues.orders.batchsize',
    'packages/local/test/command-dev.test.ts',
    'unknown key "queues.orders.batchsize" (did you mean "batchSize"?)',
  ),
  row(
    'local 10',
    'settings of a queue without a handler',
    'packages/local/test/command-dev.test.ts',
    'queues.nosuch: no handler for the queue "nosuch"; registered are orders',
  ),
  row(
    'local 11',
    'an entry without a handler',
    'packages/local/test/command-dev.test.ts',
    '--check of a service that does not load ends with 3',
  ),
  row(
    'local 12, N1',
    'send to a queue that no handler takes, with --wait',
    'packages/local/test/command-dev.test.ts',
    'no handler for the queue "ordrs" (did you mean "orders"?); registered are orders',
  ),
];

/** Numbers of the first examination without a row of its table: a package that is not installed. */
export const MISSING_PACKAGES: readonly Described[] = [
  row(
    '27',
    'jose is not installed, and not needed any more',
    'packages/secure/README.md',
    'No other package is needed, for `jwks` or for `jwksUri`',
  ),
  row(
    '29',
    'the client for WebSocket APIs is not installed',
    'scripts/check/missing-packages.test.ts',
    'client-apigatewaymanagementapi',
  ),
];

/** Findings name these only by their id: what the user did is not written anywhere, so there is nothing to test. */
export const NOWHERE_DESCRIBED: readonly string[] = [
  ...['c01', 'c03', 'c04', 'c05', 'c06', 'c07', 'c10', 'c11', 'c15', 'c16', 'c17', 'c18'],
  ...['m19', 'm20', 'm21', 'm22', 'o23', 'o24', 'o25', 'o26', 'o28', 'o30'],
  ...['v31', 'v32', 'v33', 'v35', 't37', 't43', 't47', 'n48'],
];

/** Described and harmless: a bucket that is added after the first event works. */
export const HARMLESS: readonly string[] = ['t44'];

/** One of the thirteen local rows, "schedule", is only a word in the findings. */
export const ONLY_A_WORD: readonly string[] = ['local 13'];

/** The findings call these five no valid tests. */
export const INVALID: readonly string[] = ['o27', 'o29', 'v34', 't38', 't46'];

function row(id: string, usage: string, test: string, text: string): Described {
  return { id, usage, test, text };
}
