import { lazily, throwMissing } from '@sallyport/core/internal';
import { type Answers, type AwsSender, type Fetched, notFound, type Source, sendTo } from './source.js';

interface SsmParameter {
  readonly Name?: string;
  readonly ARN?: string;
  readonly Selector?: string;
  readonly Type?: string;
  readonly Value?: string;
  readonly Version?: number;
  readonly LastModifiedDate?: Date;
}

/**
 * Parameter Store: at most 10 names a call. `GetParametersByPath` returns at most 10 values a call too.
 *
 * @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameters.html
 * @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParametersByPath.html
 */
export function parameterStore(given: AwsSender | undefined): Source {
  const open = lazily(async () => {
    const sdk = await import('@aws-sdk/client-ssm').catch(throwMissing('@aws-sdk/client-ssm'));
    return { sdk, client: given ?? (new sdk.SSMClient({}) as AwsSender) };
  });
  return {
    service: 'ssm',
    most: 10,
    async fetch(names, signal) {
      const { sdk, client } = await open();
      const command = new sdk.GetParametersCommand({ Names: [...names], WithDecryption: true });
      const { Parameters = [] } = await sendTo<{ Parameters?: SsmParameter[] }>(client, command, signal);
      const answers = new Map<string, Fetched>();
      for (const { Name = '', ARN = '', Selector = '', Type, Value, Version, LastModifiedDate } of Parameters) {
        // A deleted parameter that is created again starts with version 1.
        const version = `${Version}.${LastModifiedDate?.getTime()}`;
        const fetched = { value: Value, version, isSecret: Type === 'SecureString' };
        for (const id of [Name, ARN]) answers.set(id + Selector, fetched);
      }
      return answers;
    },
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
export interface SecretSource extends Source {
  previous(name: string, signal: AbortSignal): Promise<Fetched | undefined>;
}

/**
 * Secrets Manager: at most 20 names a call. One name is read with `GetSecretValue`, which needs no further permission.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_BatchGetSecretValue.html
 */
export function secretsManager(given: AwsSender | undefined): SecretSource {
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
