import { type Clock, type Environment, type IdGenerator, type Logger, randomIds } from '@sallyport/core';
import { completeClock, guardHook, LOG_WANTED, parseLog } from '@sallyport/core/internal';
import { defineOptions, integer, object, parsed, text, withMethods } from '@sallyport/core/options';
import { type Client, DynamoTable } from '@sallyport/dynamo';
import { controllerIncomplete, MicrovmError } from '../errors.js';
import { MICROVM_TABLE_NAME_ENV } from '../schema.js';
import { createTableRegistry } from './internal/table-registry.js';
import type { MicrovmRegistry } from './registry.js';

/** Options of {@link createDynamoMicrovmRegistry}. */
export interface DynamoMicrovmRegistryOptions {
  /** The table. Default: the variable `FRAMEWORK_MICROVM_TABLE_NAME`. */
  readonly tableName?: string;
  /** The DynamoDB client. Default: a client with the SDK's default settings, created at the first call. */
  readonly client?: Client;
  /** Time source for expired sessions. Default: the system's clock. */
  readonly clock?: Clock;
  /** Creates the ids of writes. Default: random UUIDs. */
  readonly ids?: IdGenerator;
  /** Environment variables. Default `process.env`. */
  readonly environment?: Environment;
  /** Timeout in milliseconds for all attempts of one call to the table, 1 to 60,000. Default 3,000. Loading the AWS SDK is not counted. */
  readonly storeTimeoutMs?: number;
  /** Logs the keys of rows that cannot be read; `false` disables it. Default: JSON lines on standard output. */
  readonly log?: Logger | false;
}

/** Validators and defaults for {@link DynamoMicrovmRegistryOptions}. */
export const MICROVM_REGISTRY_OPTIONS = defineOptions<DynamoMicrovmRegistryOptions>()(
  {
    tableName: text('the name of the table').orVariable(MICROVM_TABLE_NAME_ENV),
    client: withMethods<Client>('send'),
    clock: withMethods<Clock>('now'),
    ids: withMethods<IdGenerator>('newId').default(randomIds),
    environment: object<Environment>(),
    storeTimeoutMs: integer(1, 60_000, 'milliseconds').default(3000),
    log: parsed<Logger>(LOG_WANTED, (value) => parseLog(value, process.env)),
  },
  { fail: controllerIncomplete },
);

/**
 * Creates a registry that stores sessions in one DynamoDB table, for all instances of a function. The AWS SDK is loaded at the first call.
 *
 * @throws MicrovmError `microvm.controller_incomplete` for a wrong option, or if the table name is missing
 * @example const registry = createDynamoMicrovmRegistry({ tableName: 'sessions' });
 */
export function createDynamoMicrovmRegistry(options: DynamoMicrovmRegistryOptions = {}): MicrovmRegistry {
  const given = MICROVM_REGISTRY_OPTIONS.parse(options);
  const { tableName, client, ids, storeTimeoutMs: timeoutMs, log = parseLog(undefined, process.env) } = given;
  const clock = completeClock(given.clock);
  const table = new DynamoTable({ tableName, client, clock, timeoutMs, toError });
  const onBadRow = (key: object) =>
    guardHook(() => log.error('framework: a row of the session table cannot be read', { ...key }));
  return createTableRegistry({ table, clock, ids, onBadRow });
}

function toError(cause: unknown, transient: boolean): MicrovmError {
  const code = transient ? 'microvm.registry_unavailable' : 'microvm.registry_failed';
  return new MicrovmError(code, 'session table unavailable', { cause });
}
