import { lazily, throwMissing } from '@sallyport/core/internal';
import type { SecretOptions, ValueName, ValueSchema } from '../readers.js';
import { Secret } from '../secret.js';
import { type Engine, valueIn } from './engine.js';
import { type Answers, type AwsSender, type Fetched, notFound, type Source, sendTo } from './source.js';

/** `secret` of an engine. */
export function secretReader(engine: Engine) {
  const source = secretsManager(engine.settings.clients?.secretsManager);
  return (name: ValueName, schema?: ValueSchema<unknown>, given?: SecretOptions) => {
    const definition = { name, schema, ...given };
    return engine.define(source, 'secret', definition, async (id, fetched, signal) => {
      const value = await valueIn(definition, id, fetched);
      const before = given?.previous ? await source.previous(id, signal) : undefined;
      const old = before && new Secret(await valueIn(definition, id, before), before.version);
      return new Secret(value, fetched.version, old);
    });
  };
}

interface SecretEntry {
  readonly ARN?: string;
  readonly Name?: string;
  readonly SecretString?: string;
  readonly SecretBinary?: Uint8Array;
  readonly VersionId?: string;
}

interface SecretBatch {
  readonly SecretValues?: readonly SecretEntry[];
  readonly Errors?: readonly { readonly SecretId?: string; readonly ErrorCode?: string }[];
}

/** Secrets Manager, with the value before the last rotation. */
interface SecretSource extends Source {
  previous(name: string, signal: AbortSignal): Promise<Fetched | undefined>;
}

/**
 * Secrets Manager: at most 20 names a call. One name is read with `GetSecretValue`, which needs no further permission.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_BatchGetSecretValue.html
 */
function secretsManager(given: AwsSender | undefined): SecretSource {
  const open = lazily(async () => {
    const name = '@aws-sdk/client-secrets-manager';
    const sdk = await import('@aws-sdk/client-secrets-manager').catch(throwMissing(name));
    return { sdk, client: given ?? (new sdk.SecretsManagerClient({}) as AwsSender) };
  });
  const one = async (SecretId: string, VersionStage: string, signal: AbortSignal) => {
    const { sdk, client } = await open();
    const command = new sdk.GetSecretValueCommand({ SecretId, VersionStage });
    return toFetched(await sendTo<SecretEntry>(client, command, signal));
  };
  return {
    service: 'secretsmanager',
    most: 20,
    async fetch(names, signal): Promise<Answers> {
      const [first = ''] = names;
      if (names.length === 1) return new Map([[first, await one(first, 'AWSCURRENT', signal)]]);
      const { sdk, client } = await open();
      const command = new sdk.BatchGetSecretValueCommand({ SecretIdList: [...names] });
      const { SecretValues = [], Errors = [] } = await sendTo<SecretBatch>(client, command, signal);
      return new Map(
        names.map((name) => {
          const found = SecretValues.find((secret) => isNamed(secret, name));
          const failed = Errors.find(({ SecretId }) => SecretId === name);
          return [name, found ? toFetched(found) : failure(name, failed?.ErrorCode)];
        }),
      );
    },
    async previous(name, signal) {
      try {
        return await one(name, 'AWSPREVIOUS', signal);
      } catch (error) {
        // A secret that was never rotated has no previous value.
        if ((error as Error).name === 'ResourceNotFoundException') return undefined;
        throw error;
      }
    },
  };
}

/** A secret can be named by its name, its ARN, or its ARN without the last six characters. */
function isNamed({ ARN = '', Name }: SecretEntry, id: string): boolean {
  return Name === id || ARN === id || (ARN.startsWith(`${id}-`) && ARN.length === id.length + 7);
}

function toFetched({ SecretString, SecretBinary, VersionId = '' }: SecretEntry): Fetched {
  return { value: SecretString ?? SecretBinary, version: VersionId, isSecret: true };
}

function failure(name: string, ErrorCode: string | undefined): Error {
  return ErrorCode === undefined ? notFound(name) : Object.assign(new Error('not read'), { name: ErrorCode });
}
