import { lazily, throwMissing } from '@sallyport/core/internal';
import { ParametersError } from '../errors.js';
import type { ParameterOptions, ValueName, ValueSchema } from '../readers.js';
import { Secret } from '../secret.js';
import { type Engine, valueIn } from './engine.js';
import { type AwsSender, type Fetched, type Source, sendTo } from './source.js';

/** `parameter` of an engine. */
export function parameterReader(engine: Engine) {
  const source = parameterStore(engine.settings.clients?.ssm);
  return (name: ValueName, schema?: ValueSchema<unknown>, given?: ParameterOptions) => {
    const definition = { name, schema, ...given };
    return engine.define(source, 'parameter', definition, async (id, fetched) => {
      const value = await valueIn(definition, id, fetched);
      if (given?.secret) return new Secret(value, fetched.version);
      if (!fetched.isSecret) return value;
      throw new ParametersError('parameters.secure_string', `${id} is a SecureString: read it with { secret: true }`);
    });
  };
}

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
function parameterStore(given: AwsSender | undefined): Source {
  const open = lazily(async () => {
    const sdk = await import('@aws-sdk/client-ssm').catch(throwMissing('@aws-sdk/client-ssm'));
    return { sdk, client: given ?? (new sdk.SSMClient({}) as AwsSender) };
  });
  return {
    service: 'ssm',
    most: 10,
    // The name of a parameter in a hierarchy begins with a slash.
    idOf: (text) => (/^[^/:]+\//.test(text) ? `/${text}` : text),
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
